import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/index.ts'
import { defineScheme, type Scheme } from '../../src/schemes/kit/index.ts'

const ROW: Scheme = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'signing key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-acme-signature'], spelling: 'hex' },
  signs: '{body}',
  maxBodyBytes: 1_048_576,
  limits: 'The headers are not signed.',
}

/** What plain JavaScript may pass in place of a row. */
function refusalOf(row: unknown): unknown {
  try {
    defineScheme(row as Scheme)
    return undefined
  } catch (error) {
    return error
  }
}

describe('a row in plain JavaScript', () => {
  it('a row is taken if it has every member', () => {
    expect(refusalOf(ROW)).toBeUndefined()
    const places = [{ header: 'x-acme-id' }, { item: 't=' }, { member: '/id' }]
    for (const eventId of places) expect(refusalOf({ ...ROW, eventId, eventType: eventId })).toBeUndefined()
    expect(refusalOf({ ...ROW, key: { base64After: 'whsec_' }, signs: () => undefined })).toBeUndefined()
  })

  it.each(Object.keys(ROW))('a row that lacks %s is refused by the name of the member', (member) => {
    const { [member]: _, ...rest } = { ...ROW } as { readonly [name: string]: unknown } // for any name
    for (const row of [rest, { ...ROW, [member]: {} }, { ...ROW, [member]: 4.2 }]) {
      const error = refusalOf(row)
      expect(error).toBeInstanceOf(ListenerConfigError)
      expect(error).toHaveProperty('option', expect.stringMatching(`^${member}\\b`))
    }
  })

  it.each<[string, unknown, RegExp]>([
    ['algorithm', 'sha256', /'hmac-sha256' or /],
    ['key', 'utf8', /'text' or 'hex' or 'base64'/],
    ['signature', { headers: 'x-acme-signature' }, /list/],
    ['signature', { headers: ['X-Acme-Signature'] }, /lower case/],
    ['timestamp', 'x-acme-time', /\{ header \}/],
    ['eventId', 'x-acme-id', /\{ header \}/],
    ['eventType', '/type', /\{ member \}/],
    ['eventType', null, /\{ member \}/],
    ['timestamp', { header: 'x-acme-time', of: 'attempt' }, /'seconds' or /],
    ['content', 'json', /list/],
    ['handshake', () => undefined, /answer/],
    ['maxBodyByte', 1, /maxBodyBytes/],
  ])('a row whose %s is %j learns the fix', (member, value, fix) => {
    const error = refusalOf({ ...ROW, [member]: value })
    expect(error).toBeInstanceOf(ListenerConfigError)
    expect(error).toHaveProperty('option', expect.stringMatching(`^${member}\\b`))
    expect(error).toHaveProperty('message', expect.stringMatching(fix))
  })

  it.each([undefined, null, 'acme', 42])('a row that is %j in whole is refused', (row) => {
    expect(refusalOf(row)).toBeInstanceOf(ListenerConfigError)
  })
})
