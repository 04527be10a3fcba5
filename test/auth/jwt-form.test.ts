import { describe, expect, it } from 'vitest'
import { ACCEPTED, invalid, jwtSender, type Sending } from '../support/jwt-listener.ts'
import { base64url, newKey, signingInput } from '../support/keys.ts'

const KEY = newKey('ES256')
const { send } = jwtSender(KEY)
const THREE = invalid('the token does not have three segments')

describe('forms other than three segments', () => {
  it('jwt() refuses an encrypted token of five parts, whatever its header asks to be computed', async () => {
    const header = base64url('{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2s":"AAAA","p2c":2147483647}')
    expect(await send({ token: () => `${header}.AAAA.AAAA.AAAA.AAAA` })).toMatchObject(THREE)
    expect(await send({ token: () => `${header}.AAAA.AAAA` })).toMatchObject(invalid(/payload|alg/))
  })

  it.each(['dir', 'RSA-OAEP', 'A128KW', 'ECDH-ES'])('jwt() refuses alg %s in three segments', async (alg) => {
    expect(await send({ header: { alg, enc: 'A128GCM', zip: 'DEF' } })).toMatchObject(
      invalid(/^alg is not one/),
    )
  })

  it('jwt() does not unpack a nested token', async () => {
    const nested: Sending = {
      header: { cty: 'JWT' },
      payloadText: (json) => `"${signingInput('{}', json)}.x"`,
    }
    expect(await send(nested)).toMatchObject(invalid('the token payload is not a JSON object'))
  })

  it('jwt() does not decompress: a payload under zip has to be JSON as it stands', async () => {
    const zipped: Sending = { header: { zip: 'DEF' }, payloadText: () => Buffer.from('cb48cdc9c957', 'hex') }
    expect(await send(zipped)).toMatchObject(invalid(/^the token payload/))
  })

  it('jwt() refuses the JSON serialisations, flattened and general', async () => {
    const flattened = (token: string) => {
      const [header, payload, signature] = token.split('.')
      return JSON.stringify({ protected: header, header: { alg: 'none' }, payload, signature })
    }
    const general = (token: string) => {
      const [header, payload, signature] = token.split('.')
      const signatures = [
        { protected: header, signature },
        { header: { alg: 'none' }, signature: '' },
      ]
      return JSON.stringify({ payload, signatures })
    }
    expect(await send({ token: flattened })).toMatchObject(THREE)
    expect(await send({ token: general })).toMatchObject(THREE)
  })

  it.each([
    ['one segment', (token: string) => token.replaceAll('.', '')],
    ['two segments', (token: string) => token.slice(0, token.lastIndexOf('.'))],
    ['four segments', (token: string) => `${token}.AAAA`],
    ['four segments, one empty', (token: string) => `${token}.`],
    ['five segments', (token: string) => `${token}.AAAA.AAAA`],
    ['a leading empty segment', (token: string) => `.${token}`],
    ['two tokens in one', (token: string) => `${token}.${token}`],
  ])('jwt() refuses a token of %s', async (_, token) => {
    expect(await send({ token })).toMatchObject(THREE)
  })

  it.each([
    ['header', 0],
    ['payload', 1],
    ['signature', 2],
  ])('jwt() refuses an empty %s', async (name, position) => {
    const token = (compact: string) => compact.split('.').with(position, '').join('.')
    expect(await send({ token })).toMatchObject(invalid(new RegExp(`${name} is not base64url`)))
  })

  it('jwt() refuses 8,000 dots, and a million without reading them', async () => {
    expect(await send({ token: () => '.'.repeat(8_000) })).toMatchObject(THREE)
    const dots = '.'.repeat(1_000_000) // in quadratic time, this test would hang
    expect(await send({ token: () => dots })).toMatchObject(invalid(/over 8192/))
  })

  it('a token may have 8,192 characters, and not 8,193', async () => {
    const lengths: number[] = []
    const sized = (headerBytes: number, payloadBytes: number): Sending => ({
      headerText: (json) => json.padEnd(headerBytes),
      payloadText: (json) => json.padEnd(payloadBytes),
      token: (compact) => {
        lengths.push(compact.length)
        return compact
      },
    })
    expect(await send(sized(63, 6015))).toMatchObject(ACCEPTED)
    expect(await send(sized(64, 6014))).toMatchObject(invalid('the token is over 8192 characters'))
    expect(lengths).toEqual([8192, 8193])
  })
})
