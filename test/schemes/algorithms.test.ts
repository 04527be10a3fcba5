import { constants, createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toHar } from '../../cli/inspector/har.ts'
import type { Inspected } from '../../cli/inspector/inspected.ts'
import { masked, maskFor } from '../../cli/inspector/mask.ts'
import { fromDerSignature, toDerSignature } from '../../src/crypto/der.ts'
import { explain, explainLine } from '../../src/explain/index.ts'
import { defineListener, ListenerConfigError, verify } from '../../src/index.ts'
import { defineScheme, type Scheme, type SchemeOptions } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'

const ROW = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'key of Acme',
  key: 'base64',
  signs: '{body}',
  maxBodyBytes: 65_536,
  limits: 'The headers are not signed.',
} as const

const BODY = '{"id":1}'

type Algorithm = Scheme['algorithm']
type Form = Omit<Scheme['signature'], 'headers'>

function acme(algorithm: Algorithm, form: Form = {}) {
  const signature = { headers: form.query ? [] : ['x-acme'], spelling: 'base64', ...form } as const
  return defineScheme<SchemeOptions>({
    ...ROW,
    algorithm,
    signature,
    ...(isMac(algorithm) && { key: 'text' }),
  })
}

const isMac = (algorithm: Algorithm) => algorithm.startsWith('hmac') || algorithm === 'token'

async function judge(
  factory: ReturnType<typeof acme>,
  options: SchemeOptions,
  request: { readonly signature?: string; readonly url?: string; readonly body?: string },
) {
  const { signature, url, body = BODY } = request
  const listener = defineListener({
    id: 'acme',
    auth: factory(options),
    store: memoryStore({ maxRecords: 10 }),
    onVerdict: null,
  })
  const headers: { readonly [name: string]: string | undefined } = {
    'content-type': 'application/json',
    'x-acme': signature,
  }
  const verdict = await verify(
    { method: 'POST', header: (name) => headers[name], body: Buffer.from(body), sourceIp: undefined, url },
    listener,
  )
  return verdict.ok || verdict.handshake ? 'accepted' : verdict.reason
}

const INSPECTED: Omit<Inspected, 'path'> = {
  seq: 1,
  time: '2026-11-27T08:00:00.000Z',
  method: 'POST',
  listener: 'acme',
  verdict: 'accepted',
  reason: null,
  status: 200,
  eventId: null,
  eventType: null,
  unsigned: [],
  replayOf: null,
  sourceIp: null,
  headers: [],
  body: new Uint8Array(),
  bytes: 0,
  truncated: false,
  detail: null,
  ms: { receive: 0, decide: 0, app: null, total: 1 },
  app: null,
}

const DER = { type: 'spki', format: 'der' } as const
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING }
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })

interface Kind {
  readonly algorithm: Algorithm
  readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly sign: (body: string) => Buffer
}

const rsaKind = (algorithm: Algorithm, hash: string, more = {}): Kind => ({
  algorithm,
  pair: RSA,
  sign: (body) => sign(hash, Buffer.from(body), { key: RSA.privateKey, ...more }),
})
const ecKind = (algorithm: Algorithm, hash: string, pair: Kind['pair']): Kind => ({
  algorithm,
  pair,
  sign: (body) => sign(hash, Buffer.from(body), pair.privateKey),
})

const KINDS: readonly Kind[] = [
  rsaKind('rsa-v1_5-sha256', 'sha256'),
  rsaKind('rsa-v1_5-sha384', 'sha384'),
  rsaKind('rsa-pss-sha256', 'sha256', { ...PSS, saltLength: 32 }),
  rsaKind('rsa-pss-sha384', 'sha384', { ...PSS, saltLength: 48 }),
  ecKind('ecdsa-p256-sha256', 'sha256', P256),
  ecKind('ecdsa-p384-sha384', 'sha384', P384),
]

const spkiOf = ({ publicKey }: Kind['pair']) => publicKey.export(DER).toString('base64')

describe.each(KINDS)('a row of $algorithm', ({ algorithm, pair, sign: signBody }) => {
  const factory = acme(algorithm)
  const publicKeys = spkiOf(pair)

  it('takes what node:crypto signed, and no other body', async () => {
    const signature = signBody(BODY).toString('base64')
    expect(await judge(factory, { publicKeys }, { signature })).toBe('accepted')
    expect(await judge(factory, { publicKeys }, { signature, body: '{"id":2}' })).toBe('signature_mismatch')
  })

  it('takes the key as PEM too', async () => {
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const signature = signBody(BODY).toString('base64')
    expect(await judge(factory, { publicKeys: pem }, { signature })).toBe('accepted')
  })

  it('is signed by signAs with a private JWK of its kind, and with no other', async () => {
    const privateKey = pair.privateKey.export({ format: 'jwk' })
    const request = await signAs(factory, { privateKey, body: BODY })
    const signature = request.headers['x-acme'] ?? ''
    expect(await judge(factory, { publicKeys }, { signature })).toBe('accepted')
    for (const other of KINDS.filter((kind) => kind.pair !== pair)) {
      const another = other.pair.privateKey.export({ format: 'jwk' })
      await expect(signAs(factory, { privateKey: another, body: BODY })).rejects.toThrow(/^privateKey/)
    }
    const publicJwk = pair.publicKey.export({ format: 'jwk' })
    await expect(signAs(factory, { privateKey: publicJwk, body: BODY })).rejects.toThrow(/^privateKey/)
  })

  it('refuses the signatures of every other algorithm by the same key', async () => {
    for (const other of KINDS.filter((kind) => kind.pair === pair && kind.algorithm !== algorithm)) {
      const signature = other.sign(BODY).toString('base64')
      expect(await judge(factory, { publicKeys }, { signature })).toBe('signature_mismatch')
    }
    const asSecret = createHmac('sha256', publicKeys).update(BODY).digest('base64')
    expect(await judge(factory, { publicKeys }, { signature: asSecret })).toBe('signature_mismatch')
  })

  it('refuses the key of another algorithm at the start', () => {
    for (const other of KINDS.filter((kind) => kind.pair !== pair))
      expect(() => factory({ publicKeys: spkiOf(other.pair) })).toThrow(/^publicKeys/)
    const ed25519 = generateKeyPairSync('ed25519').publicKey.export(DER)
    expect(() => factory({ publicKeys: ed25519.toString('base64') })).toThrow(/^publicKeys/)
    expect(() => factory({ publicKeys: ed25519.subarray(-32).toString('base64') })).toThrow(/^publicKeys/)
    expect(() => factory({ publicKeys: 'bm8ga2V5' })).toThrow(/^publicKeys/)
  })

  it('a key with any byte changed is refused, at the start or when it is imported, and never repeated', async () => {
    const spki = pair.publicKey.export(DER)
    const signature = signBody(BODY).toString('base64')
    for (let at = 0; at < spki.length; at += 1) {
      const changed = Buffer.from(spki)
      changed[at] = (changed[at] ?? 0) ^ 1
      const key = changed.toString('base64')
      const attempt = async () => judge(factory, { publicKeys: key }, { signature })
      const outcome: unknown = await attempt().catch((error) => error)
      if (outcome === 'signature_mismatch') continue
      expect(outcome).toBeInstanceOf(ListenerConfigError)
      expect(outcome).toMatchObject({ option: 'publicKeys' })
      expect(String(outcome)).not.toContain(key.slice(-40, -20))
    }
  })

  it('refuses the same bytes in another encoding', async () => {
    const bytes = signBody(BODY)
    const padded = bytes.toString('base64')
    const unpadded = bytes.toString('base64url') // the same text, if it needs no padding, + or /
    for (const signature of [
      bytes.toString('hex'),
      ...(unpadded === padded ? [] : [unpadded]),
      `${padded}=`,
      ` ${padded}`,
      Buffer.concat([Buffer.alloc(1), bytes]).toString('base64'),
      Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64'),
    ])
      expect(await judge(factory, { publicKeys }, { signature })).toBe('signature_mismatch')
  })
})

describe('RSA keys', () => {
  const factory = acme('rsa-v1_5-sha256')
  const spki = (modulusLength: number, publicExponent = 65_537) =>
    spkiOf(generateKeyPairSync('rsa', { modulusLength, publicExponent }))

  it('an RSA key has at least 2048 bits', () => {
    expect(() => factory({ publicKeys: spki(2047) })).toThrow(/2047 bits, not 2048 to 8192/)
    expect(() => factory({ publicKeys: spki(1024) })).toThrow(/1024 bits/)
    expect(() => factory({ publicKeys: spki(2048) })).not.toThrow()
  })

  it('an RSA exponent of 1 is refused: every number is its own signature', () => {
    const integer = (bytes: Buffer) =>
      Buffer.concat([Buffer.from([2, 0x82, bytes.length >> 8, bytes.length & 255]), bytes])
    const sequence = (tag: number, ...parts: readonly Buffer[]) => {
      const content = Buffer.concat(parts)
      return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content])
    }
    const { n = '' } = RSA.publicKey.export({ format: 'jwk' })
    const algorithm = Buffer.from('300d06092a864886f70d0101010500', 'hex')
    const spkiWith = (exponent: number) => {
      const modulus = integer(Buffer.concat([Buffer.alloc(1), Buffer.from(n, 'base64url')]))
      const numbers = sequence(0x30, modulus, Buffer.from([2, 1, exponent]))
      return sequence(0x30, algorithm, sequence(3, Buffer.alloc(1), numbers)).toString('base64')
    }
    expect(() => factory({ publicKeys: spkiWith(3) })).not.toThrow()
    for (const exponent of [0, 1, 2, 4])
      expect(() => factory({ publicKeys: spkiWith(exponent) })).toThrow(/^publicKeys/)
  })

  it('a forged cube root under the exponent 3 is refused: nothing may follow the digest', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })
    const publicKeys = spkiOf({ publicKey, privateKey })
    const digest = Buffer.from('3031300d060960864801650304020105000420', 'hex')
    const hash = sha256(BODY)
    const start = Buffer.concat([Buffer.from('0001ffffffffffffffff00', 'hex'), digest, hash])
    const goal = BigInt(`0x${start.toString('hex')}${'f'.repeat((256 - start.length) * 2)}`)
    const root = cubeRoot(goal)
    expect((root ** 3n).toString(16).padStart(512, '0')).toContain(hash.toString('hex'))
    const signature = Buffer.from(root.toString(16).padStart(512, '0'), 'hex').toString('base64')
    expect(await judge(factory, { publicKeys }, { signature })).toBe('signature_mismatch')
    const genuine = sign('sha256', Buffer.from(BODY), privateKey).toString('base64')
    expect(await judge(factory, { publicKeys }, { signature: genuine })).toBe('accepted')
  })

  it('a PSS signature has a salt as long as its hash, and no other', async () => {
    for (const [saltLength, verdict] of [
      [32, 'accepted'],
      [0, 'signature_mismatch'],
      [31, 'signature_mismatch'],
      [48, 'signature_mismatch'],
      [constants.RSA_PSS_SALTLEN_MAX_SIGN, 'signature_mismatch'],
    ] as const) {
      const signature = sign('sha256', Buffer.from(BODY), { key: RSA.privateKey, ...PSS, saltLength })
      const given = { signature: signature.toString('base64') }
      expect(await judge(acme('rsa-pss-sha256'), { publicKeys: spkiOf(RSA) }, given)).toBe(verdict)
    }
  })
})

const P384_ORDER = BigInt(
  '0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
)

describe('ECDSA signatures', () => {
  const publicKeys = spkiOf(P384)
  const der = acme('ecdsa-p384-sha384')
  const p1363 = acme('ecdsa-p384-sha384', { ecdsa: 'p1363' })
  const bytes = new Uint8Array(sign('sha384', Buffer.from(BODY), P384.privateKey))
  const numbers = fromDerSignature(bytes, 48) ?? new Uint8Array()
  const base64 = (each: Uint8Array) => Buffer.from(each).toString('base64')

  it('a row takes DER or r and s, never both', async () => {
    expect(await judge(der, { publicKeys }, { signature: base64(bytes) })).toBe('accepted')
    expect(await judge(der, { publicKeys }, { signature: base64(numbers) })).toBe('signature_mismatch')
    expect(await judge(p1363, { publicKeys }, { signature: base64(numbers) })).toBe('accepted')
    expect(await judge(p1363, { publicKeys }, { signature: base64(bytes) })).toBe('signature_mismatch')
  })

  it('signAs writes r and s for a row that takes them', async () => {
    const privateKey = P384.privateKey.export({ format: 'jwk' })
    const { headers } = await signAs(p1363, { privateKey, body: BODY })
    expect(Buffer.from(headers['x-acme'] ?? '', 'base64')).toHaveLength(96)
    expect(await judge(p1363, { publicKeys }, { signature: headers['x-acme'] ?? '' })).toBe('accepted')
  })

  // Whoever has a signature can make another of it, so no signature is ever a key of an event.
  it('the twin of a signature, with n - s, is the same event', async () => {
    const s = BigInt(`0x${Buffer.from(numbers.slice(48)).toString('hex')}`)
    const twin = new Uint8Array(numbers)
    twin.set(Buffer.from((P384_ORDER - s).toString(16).padStart(96, '0'), 'hex'), 48)
    const listener = defineListener({
      id: 'acme',
      auth: der({ publicKeys }),
      store: memoryStore({ maxRecords: 10 }),
    })
    const deliver = (signature: Uint8Array) =>
      verify(
        toDelivery({
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-acme': base64(signature) },
          body: BODY,
        }),
        listener,
      )
    const first = await deliver(bytes)
    if (first.ok) await first.event.commit()
    expect(first.ok).toBe(true)
    expect(await deliver(toDerSignature(twin, 48) ?? twin)).toMatchObject({ reason: 'event_duplicate' })
  })
})

describe('upper-case hex', () => {
  const factory = acme('hmac-sha512', { spelling: 'upper-case-hex', prefix: 'sha512=' })
  const hex = createHmac('sha512', 'a secret').update(BODY).digest('hex')

  it.each([
    ['upper case', `sha512=${hex.toUpperCase()}`, 'accepted'],
    ['lower case', `sha512=${hex}`, 'signature_mismatch'],
    ['both cases', `sha512=${hex.slice(0, 64)}${hex.slice(64).toUpperCase()}`, 'signature_mismatch'],
    ['a prefix in upper case', `SHA512=${hex.toUpperCase()}`, 'signature_mismatch'],
  ])('a digest in %s is judged by its case', async (_, signature, verdict) => {
    expect(await judge(factory, { secrets: 'a secret' }, { signature })).toBe(verdict)
  })

  it('signAs writes it', async () => {
    const { headers } = await signAs(factory, { secret: 'a secret', body: BODY })
    expect(headers['x-acme']).toBe(`sha512=${hex.toUpperCase()}`)
  })

  it('a public key signs in it too, in one case', async () => {
    const rsa = acme('rsa-v1_5-sha256', { spelling: 'upper-case-hex' })
    const signature = sign('sha256', Buffer.from(BODY), RSA.privateKey).toString('hex')
    const publicKeys = spkiOf(RSA)
    expect(await judge(rsa, { publicKeys }, { signature: signature.toUpperCase() })).toBe('accepted')
    expect(await judge(rsa, { publicKeys }, { signature })).toBe('signature_mismatch')
  })
})

it('a signature without its prefix counts where the prefix is optional', async () => {
  const signature = createHmac('sha256', 'a secret').update(BODY).digest('hex')
  const form = { spelling: 'hex', prefix: 'sha256=' } as const
  const secrets = 'a secret'
  const optional = acme('hmac-sha256', { ...form, prefixOptional: true })
  expect(await judge(optional, { secrets }, { signature })).toBe('accepted')
  expect(await judge(optional, { secrets }, { signature: `sha256=${signature}` })).toBe('accepted')
  expect(await judge(optional, { secrets }, { signature: `sha256=sha256=${signature}` })).toBe(
    'signature_mismatch',
  )
  expect(await judge(acme('hmac-sha256', form), { secrets }, { signature })).toBe('signature_mismatch')
})

describe('a signature in the query', () => {
  const factory = acme('hmac-sha384', { query: 'signature', spelling: 'hex' })
  const secrets = 'a secret'
  const hex = createHmac('sha384', secrets).update(BODY).digest('hex')
  const wrong = hex.replace(/^./, (first) => (first === '0' ? '1' : '0'))

  it.each([
    ['alone', `/hook?signature=${hex}`, 'accepted'],
    ['after other parameters', `/hook?a=1&signature=${hex}&b=2`, 'accepted'],
    ['in a full URL', `https://example.com/hook?signature=${hex}`, 'accepted'],
    ['percent-encoded', `/hook?%73ignature=%${hex.charCodeAt(0).toString(16)}${hex.slice(1)}`, 'accepted'],
    ['beside an empty parameter', `/hook?&&signature=${hex}&`, 'accepted'],
    ['missing', '/hook', 'auth_missing'],
    ['with an empty query', '/hook?', 'auth_missing'],
    ['empty', '/hook?signature=', 'auth_missing'],
    ['without a value', '/hook?signature', 'auth_missing'],
    ['by another name', `/hook?Signature=${hex}`, 'auth_missing'],
    ['in the fragment of another parameter', `/hook?a=?signature=${hex}`, 'auth_missing'],
    ['twice', `/hook?signature=${hex}&signature=${hex}`, 'signature_mismatch'],
    ['twice, the other one wrong', `/hook?signature=${wrong}&signature=${hex}`, 'signature_mismatch'],
    ['twice, one empty', `/hook?signature=&signature=${hex}`, 'signature_mismatch'],
    ['twice, one encoded', `/hook?signature=${hex}&%73ignature=${hex}`, 'signature_mismatch'],
    ['in upper case', `/hook?signature=${hex.toUpperCase()}`, 'signature_mismatch'],
    ['wrong', `/hook?signature=${wrong}`, 'signature_mismatch'],
    ['with a blank', `/hook?signature=${hex}+`, 'signature_mismatch'],
    ['after a broken escape', `/hook?a=%zz&signature=${hex}`, 'accepted'],
    ['over 4,096 characters', `/hook?signature=${'a'.repeat(5000)}`, 'signature_mismatch'],
    ['in a URL over 8,192 characters', `/hook?a=${'a'.repeat(8192)}&signature=${hex}`, 'signature_mismatch'],
    ['among a thousand', `/hook?${'signature=a&'.repeat(600)}signature=${hex}`, 'signature_mismatch'],
    ['where the host knows no URL', undefined, 'auth_missing'],
  ])('a signature %s is judged', async (_, url, verdict) => {
    expect(await judge(factory, { secrets }, { ...(url !== undefined && { url }) })).toBe(verdict)
  })

  it('a header of the same name is no signature', async () => {
    expect(await judge(factory, { secrets }, { url: '/hook', signature: hex })).toBe('auth_missing')
  })

  it('signAs returns the URL with it, and toDelivery takes that', async () => {
    const publicUrl = 'https://example.com/hook?a=1#end'
    const request = await signAs(factory, { secret: secrets, publicUrl, body: BODY })
    expect(request.url).toBe(`https://example.com/hook?a=1&signature=${hex}`)
    const listener = defineListener({ id: 'acme', auth: factory({ secrets }), store: memoryStore() })
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true })
    await expect(signAs(factory, { secret: secrets, body: BODY })).rejects.toThrow(/^publicUrl/)
  })

  it('base64 is percent-encoded in the query', async () => {
    const base64 = acme('hmac-sha256', { query: 'a&b' })
    const publicUrl = 'https://example.com/hook'
    for (let index = 0; index < 20; index += 1) {
      const { url = '' } = await signAs(base64, { secret: secrets, publicUrl, body: `{"id":${index}}` })
      expect(await judge(base64, { secrets }, { url, body: `{"id":${index}}` })).toBe('accepted')
    }
  })

  it('a token may be in the query', async () => {
    const token = acme('token', { query: 'secret' })
    expect(await judge(token, { secrets }, { url: '/hook?secret=a+secret' })).toBe('accepted')
    expect(await judge(token, { secrets }, { url: '/hook?secret=a%20secret' })).toBe('accepted')
    expect(await judge(token, { secrets }, { url: '/hook?secret=another' })).toBe('signature_mismatch')
  })

  it('no verdict, explanation or line for a terminal repeats it', async () => {
    const odd = acme('hmac-sha384', { query: 'h', spelling: 'hex' })
    const said: unknown[] = []
    const listener = defineListener({
      id: 'acme',
      auth: odd({ secrets }),
      store: memoryStore({ maxRecords: 10 }),
      onVerdict: (verdict, context) => said.push(verdict, context),
    })
    for (const query of [`h=${wrong}`, `h=${hex}&h=${wrong}`, `h=${hex}%0a`, `h=${hex.repeat(60)}`]) {
      const delivery = {
        ...toDelivery({ method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY }),
        url: `/hook?${query}`,
      }
      const verdict = await verify(delivery, listener)
      expect(verdict.ok).toBe(false)
      said.push(
        verdict,
        await explain(delivery, verdict, listener),
        await explainLine(delivery, verdict, listener),
      )
    }
    expect(JSON.stringify(said)).not.toMatch(new RegExp(`${hex.slice(1, 20)}`))
  })

  it('the inspector hides it, in its page and in its exports', () => {
    const path = `/hook?h=${hex}`
    const shown = masked({ ...INSPECTED, path }, maskFor([secrets], []))
    expect(JSON.stringify([shown, toHar([shown], 'http://127.0.0.1')])).not.toContain(hex)
  })

  it('a row has its signature in the query or in a header', () => {
    const signature = { headers: ['x-acme'], query: 'signature', spelling: 'hex' } as const
    expect(() => defineScheme({ ...ROW, key: 'text', algorithm: 'hmac-sha256', signature })).toThrow(
      /^signature\.query/,
    )
  })
})

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function cubeRoot(number: bigint): bigint {
  let [low, high] = [0n, 1n << 700n]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** 3n <= number) low = middle
    else high = middle - 1n
  }
  return low
}
