import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateSecret, hmac, ListenerConfigError, type NamedSecret } from '../../src/index.ts'
import { hmacListener, SECRET, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const MISMATCH = '401 signature_mismatch'
const OLD = { id: 'old', secret: 'an old secret of the sender' }
const NEW = { id: 'new', secret: 'the new secret of the sender' }

/** The outcome of a delivery that node:crypto signed with these key bytes, for a listener with this secret. */
async function signedWith(key: string | Uint8Array, secret: string): Promise<string> {
  const { listener, deliver } = hmacListener({ auth: hmac({ secrets: { id: 'main', secret } }) })
  const delivery = await deliver()
  const prefix = `${delivery.header('webhook-timestamp')}.${delivery.header('webhook-event-id')}.`
  const mac = createHmac('sha256', key).update(prefix).update(delivery.body).digest('base64url')
  return outcome(withHeaders(delivery, { 'webhook-signature': mac }), listener)
}

function errorOf(call: () => unknown): ListenerConfigError {
  try {
    call()
  } catch (error) {
    if (error instanceof ListenerConfigError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the key', () => {
  it('the key is the text of the secret, not the bytes it encodes', async () => {
    expect(await signedWith(SECRET, SECRET)).toBe('accepted')
    expect(await signedWith(Buffer.from(SECRET, 'base64url'), SECRET)).toBe(MISMATCH)
  })

  it('the key is the UTF-8 of that text', async () => {
    const secret = 'zwölf Boxkämpfer 😀'
    expect(await signedWith(Buffer.from(secret, 'utf8'), secret)).toBe('accepted')
    expect(await signedWith(Buffer.from(secret, 'latin1'), secret)).toBe(MISMATCH)
  })

  it('the key is never normalised', async () => {
    const composed = 'the café around the corner'.normalize('NFC')
    const decomposed = composed.normalize('NFD')
    expect(await signedWith(composed, composed)).toBe('accepted')
    expect(await signedWith(decomposed, composed)).toBe(MISMATCH)
    expect(await signedWith(composed, decomposed)).toBe(MISMATCH)
  })

  it('the key may begin and end with spaces, which count', async () => {
    const secret = ' sixteen letters and spaces '
    expect(await signedWith(secret, secret)).toBe('accepted')
    expect(await signedWith(secret.trim(), secret)).toBe(MISMATCH)
  })

  it.each([16, 43, 64, 65, 500])('the key may have %i characters', async (length) => {
    const secret = 's'.repeat(length)
    expect(await signedWith(secret, secret)).toBe('accepted')
  })
})

describe('rotation', () => {
  const both = () => hmacListener({ auth: hmac({ secrets: [NEW, OLD] }) })

  it.each([NEW, OLD])(
    'hmac() accepts the $id secret while both are active, and says which it was',
    async ({ id, secret }) => {
      const { listener, deliver } = both()
      const event = await acceptedEvent(await deliver({ secret }), listener)
      expect(event.auth).toStrictEqual({ method: 'hmac', secretId: id })
    },
  )

  it('hmac() refuses the old secret at once when it is taken away', async () => {
    const { listener, deliver, clock } = both()
    const delivery = await deliver({ secret: OLD.secret })
    expect(await outcome(delivery, listener)).toBe('accepted')
    const after = hmacListener({ auth: hmac({ secrets: [NEW] }), clock })
    expect(await outcome(delivery, after.listener)).toBe(MISMATCH)
  })

  it('hmac() refuses a secret that is neither of them', async () => {
    const { listener, deliver } = both()
    expect(await outcome(await deliver({ secret: 'a secret of somebody else' }), listener)).toBe(MISMATCH)
  })

  it('hmac() keeps the secrets it was given, whatever becomes of the array', async () => {
    const secrets = [{ ...NEW }]
    const { listener, deliver } = hmacListener({ auth: hmac({ secrets }) })
    Object.assign(secrets[0] ?? {}, { id: 'changed', secret: 'changed after the listener was made' })
    const event = await acceptedEvent(await deliver({ secret: NEW.secret }), listener)
    expect(event.auth).toStrictEqual({ method: 'hmac', secretId: 'new' })
  })
})

describe('secrets that are refused', () => {
  const given = (secrets: unknown) => errorOf(() => hmac({ secrets: secrets as NamedSecret }))

  it.each([
    [undefined, 'environment variable'],
    [null, 'environment variable'],
    [1234567890123456, 'is Number, not text'],
    [' '.repeat(40), 'at least 16'],
    ['\u00a0\t\n'.repeat(20), 'at least 16'],
    ['', 'looks empty or unset; set the environment variable'],
    ['fifteen letters', 'at least 16'],
    [`${' '.repeat(20)}short`, 'at least 16'],
    ['a line break at its end\n', 'line break'],
    ['\r\na line break in front', 'line break'],
  ])('hmac() throws for the secret %j', (secret, problem) => {
    const error = given({ id: 'main', secret })
    expect(error.option).toBe('secrets[0].secret')
    expect(error.message).toContain(problem)
  })

  it.each([
    [Buffer.from(SECRET), 'is Uint8Array, not text'],
    [Promise.resolve(SECRET), 'is Promise, not text'],
    [() => SECRET, 'is Function, not text'],
  ])('hmac() names what was passed in place of a text: %s', (secret, problem) => {
    for (const secrets of [secret, [secret], { id: 'main', secret }]) {
      const error = given(secrets)
      expect(error.option).toMatch(/^secrets\[0\]/)
      expect(error.message).toContain(problem)
    }
  })

  it('hmac() names the one of several that is missing', () => {
    const error = given(['the secret in use for now', undefined])
    expect([error.option, error.message]).toEqual([
      'secrets[1]',
      expect.stringContaining('environment variable'),
    ])
  })

  it('hmac() accepts a secret with a line break that is not at an end', () => {
    expect(hmac({ secrets: { id: 'main', secret: 'a line break\nin the middle' } }).method).toBe('hmac')
  })

  it('hmac() accepts a secret of 16 characters', () => {
    expect(hmac({ secrets: { id: 'main', secret: 'sixteen letters!' } }).method).toBe('hmac')
  })

  it('hmac() throws for whsec_ with nothing behind it', () => {
    expect(given({ id: 'main', secret: 'whsec_' }).option).toBe('secrets[0].secret')
  })

  it.each(['\ud800', '\udc00'])('hmac() throws for a lone surrogate, which has no bytes', (surrogate) => {
    expect(given({ id: 'main', secret: `long enough a secret ${surrogate}` }).message).toContain('surrogate')
  })

  it.each([
    ['secrets', []],
    ['secrets[0]', undefined],
    ['secrets[0]', null],
    ['secrets[0]', [null]],
    ['secrets[0].id', { secret: SECRET }],
    ['secrets[0].id', { id: '', secret: SECRET }],
    ['secrets[1].id', [NEW, { ...OLD, id: '\ud800' }]],
    ['secrets[1].id', [NEW, { ...OLD, id: 'new' }]],
    ['secrets[1].secret', [NEW, { ...NEW, id: 'again' }]],
    ['secrets[1].secret', [NEW, { id: 'old' }]],
    ['key', { id: 'main', secret: SECRET, key: SECRET }],
  ])('hmac() names %s as the option at fault', (option, secrets) => {
    expect(given(secrets).option).toBe(option)
  })

  it.each([
    { id: 'main', secret: 'hunter2' },
    { id: 'main', secret: 'hunter2 hunter2 hunter2\n' },
    { id: 'main', secret: 'hunter2 hunter2 hunter2 \ud800' },
    { id: '', secret: 'hunter2 hunter2 hunter2' },
    [
      { id: 'a', secret: 'hunter2 hunter2 hunter2' },
      { id: 'b', secret: 'hunter2 hunter2 hunter2' },
    ],
  ])('hmac() never quotes a secret, case %#', (secrets) => {
    const error = given(secrets)
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('hunter2')
  })

  it('hmac() throws for a misspelt option', () => {
    const options = { secrets: NEW, secret: OLD }
    expect(errorOf(() => hmac(options)).option).toBe('secret')
    expect(errorOf(() => hmac(undefined as never)).message).toContain('hmac')
  })

  it('an authenticator does not show its secrets', () => {
    const auth = hmac({ secrets: NEW })
    expect(JSON.stringify({ ...auth })).not.toContain(NEW.secret)
    expect(Object.isFrozen(auth)).toBe(true)
  })
})

describe('generateSecret', () => {
  it('generateSecret makes 43 characters of 256 random bits, another each time, which hmac() takes', () => {
    const secrets = new Set(Array.from({ length: 100 }, () => generateSecret()))
    expect(secrets.size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
      expect(hmac({ secrets: { id: 'main', secret } }).method).toBe('hmac')
    }
  })

  it('generateSecret encodes the bytes it is given', () => {
    expect(generateSecret((bytes) => bytes.fill(0xfb))).toBe(Buffer.alloc(32, 0xfb).toString('base64url'))
  })
})
