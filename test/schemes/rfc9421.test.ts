import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Rfc9421Options, rfc9421 } from '../../schemes/rfc9421.ts'
import { messageKeys } from '../../schemes/shared/message-keys.ts'
import { signatureBase } from '../../schemes/shared/signature-base.ts'
import { readSignatureInput } from '../../schemes/shared/signature-input.ts'
import { IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a shared secret'
const URL = 'https://receiver.example/hooks?a=b'
const BODY = '{"type":"made.up"}'
const DIGEST = `sha-256=:${createHash('sha256').update(BODY).digest('base64')}:`

type Sign = (base: string) => string

const withSecret: Sign = (base) => createHmac('sha256', SECRET).update(base).digest('base64')

interface Sending {
  readonly components?: readonly string[]
  readonly parameters?: string
  readonly headers?: { readonly [name: string]: string }
  readonly input?: (usual: string) => string
  readonly signWith?: Sign
}

function receiver(options: Partial<Rfc9421Options> = {}) {
  const { clock, receive } = schemeReceiver(rfc9421({ secrets: SECRET, publicUrl: URL, ...options }))
  const send = ({ components = [], parameters = '', headers = {}, input, signWith }: Sending = {}) => {
    const names = [...components, 'content-digest'].map((name) => `"${name}"`).join(' ')
    const usual = `(${names});created=${clock.seconds()}${parameters}`
    const values: { readonly [name: string]: string } = { '@method': 'POST', '@target-uri': URL, ...headers }
    const lines = components.map((name) => `"${name}": ${values[name]}\n`).join('')
    const base = `${lines}"content-digest": ${DIGEST}\n"@signature-params": ${usual}`
    return receive({
      headers: {
        'content-digest': DIGEST,
        ...headers,
        'signature-input': input?.(usual) ?? `sig=${usual}`,
        signature: `sig=:${(signWith ?? withSecret)(base)}:`,
      },
      body: BODY,
    })
  }
  return { clock, send }
}

describe('RFC 9421, appendix B.2', () => {
  const delivery = {
    method: 'POST',
    header: (name: string) =>
      ({ date: 'Tue, 20 Apr 2021 02:07:55 GMT', 'content-type': 'application/json', 'content-length': '18' })[
        name
      ],
    body: Buffer.from('{"hello": "world"}'),
    sourceIp: undefined,
  }
  const spki = 'JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs='

  it.each([
    [
      'B.2.6, by Ed25519',
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
    ],
  ])('%s', async (_, text, signature) => {
    const [input] = [...(readSignatureInput(text)?.values() ?? [])]
    if (input === undefined) throw new Error('not read')
    const base = signatureBase(input, delivery, 'https://example.com/foo?param=Value&Pet=dog')
    const [key] = messageKeys({ publicKeys: spki })
    expect(await key?.verifies(Buffer.from(base ?? ''), signature)).toBe(true)
  })

  it('B.2.5, by HMAC', () => {
    const text = 'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"'
    const input = readSignatureInput(text)?.get('sig-b25')
    if (input === undefined) throw new Error('not read')
    const base = signatureBase(input, delivery, 'https://EXAMPLE.com:443/foo')
    const key = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=='
    const mac = createHmac('sha256', Buffer.from(key, 'base64')).update(`${base}`).digest('base64')
    expect(mac).toBe('pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=')
  })
})

describe('a public key of HTTP Message Signatures', () => {
  const ed25519 = generateKeyPairSync('ed25519')
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const KINDS = [
    {
      algorithm: 'ed25519',
      text: ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
      signWith: (base: string) => sign(null, Buffer.from(base), ed25519.privateKey).toString('base64'),
    },
    {
      algorithm: 'ecdsa-p256-sha256',
      text: p256.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      signWith: (base: string) =>
        sign('sha256', Buffer.from(base), {
          key: p256.privateKey,
          dsaEncoding: 'ieee-p1363',
        }).toString('base64'),
    },
  ]

  it.each(KINDS)('may be one of $algorithm, beside secrets', async ({ algorithm, text, signWith }) => {
    const { send } = receiver({ publicKeys: { id: 'theirs', secret: text } })
    const parameters = `;alg="${algorithm}"`
    expect(await send({ signWith, parameters })).toMatchObject({
      ok: true,
      event: { auth: { secretId: 'theirs', covers: 'body' } },
    })
    expect(await send({ signWith, parameters: ';alg="hmac-sha256"' })).toMatchObject(MISMATCH)
    expect(await send({ parameters: ';alg="hmac-sha256"' })).toMatchObject({ ok: true })
    expect(await send({ parameters })).toMatchObject(MISMATCH)
  })

  it.each([
    'AAAA',
    'not base64',
    btoa('\0'.repeat(32)),
    p256.publicKey.export({ format: 'pem', type: 'spki' }),
  ])('is never %j', (publicKeys) => {
    expect(() => rfc9421({ publicKeys: `${publicKeys}`, publicUrl: URL })).toThrow(/^publicKeys/)
  })
})

describe('a signature over an HTTP message', () => {
  it('is taken once, and says what it covers', async () => {
    const { clock, send } = receiver()
    const sentAt = new Date(clock.now())
    expect(await send()).toMatchObject({ ok: true, event: { sentAt, unsigned: [] } })
    expect(await send()).toMatchObject(IN_PROGRESS)
    clock.advanceSeconds(1)
    expect(await send()).toMatchObject({ ok: true })
  })

  it('has to cover what you name', async () => {
    const { send } = receiver({ requiredComponents: ['@method', 'x-tenant'] })
    const headers = { 'x-tenant': '7' }
    expect(await send({ components: ['@method', 'x-tenant'], headers })).toMatchObject({ ok: true })
    expect(await send({ components: ['@method'], headers })).toMatchObject(MISMATCH)
  })

  it.each(['@query-param', '@status', '@made-up', '__proto__', 'constructor'])(
    'over %s is not understood',
    async (name) => expect(await receiver().send({ components: [name] })).toMatchObject(MISMATCH),
  )

  it('over one component twice is not understood', async () => {
    expect(await receiver().send({ components: ['@method', '@method'] })).toMatchObject(MISMATCH)
  })

  it.each([
    ['a component twice', (usual: string) => usual.replace('("', '("content-digest" "')],
    ['a name in capitals', (usual: string) => usual.replace('content-digest', 'Content-Digest')],
    ['a parameter of a component', (usual: string) => usual.replace('digest"', 'digest";bs')],
    ['commas in the list', (usual: string) => usual.replace('("', '(,"')],
    ['an open list', (usual: string) => usual.replace(')', '')],
    ['an open string', (usual: string) => `${usual};keyid="a`],
    ['a trailing comma', (usual: string) => `${usual}, `],
    [
      'eleven labels',
      (usual: string) => Array.from({ length: 11 }, (_, index) => `${usual}, l${index}=()`).join(),
    ],
  ])('with %s is refused', async (_, change) => {
    expect(await receiver().send({ input: (usual) => `sig=${change(usual)}` })).toMatchObject(MISMATCH)
  })

  it('is read in linear time', async () => {
    for (const text of [' ', '" ', '";a=', '"a";', '"\\"', ', ']) {
      const { send } = receiver()
      expect(await send({ input: () => `sig=(${text.repeat(1300)}`.slice(0, 4096) })).toMatchObject(MISMATCH)
    }
  })
})

it.each([
  ['publicUrl', { secrets: SECRET }],
  ['secrets[0]', { publicUrl: URL }],
  ['requiredComponents', { secrets: SECRET, publicUrl: URL, requiredComponents: '@method' }],
  ['requiredComponents', { secrets: SECRET, publicUrl: URL, requiredComponents: ['Date'] }],
])('rfc9421() names the option %s: %j', (option, options) => {
  expect(() => rfc9421(options as unknown as Rfc9421Options)).toThrowError(
    expect.objectContaining({ option }),
  )
})
