import { constants, createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { messageKeys } from '../../src/schemes/kit/message-keys.ts'
import { signatureBases } from '../../src/schemes/kit/signature-base.ts'
import { readSignatureInput } from '../../src/schemes/kit/signature-input.ts'
import { type Rfc9421Options, rfc9421 } from '../../src/schemes/rfc9421.ts'
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

/** The keys of RFC 9421 B.1. Their private halves are public too. */
const TEST_KEYS = {
  rsa: `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAhAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrwWEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFqMGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd/QBwVW9OwNFhekro3RtlinV0a75jfZgkne/YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0PuKxI4T+HIaFpv8+rdV6eUgOrB2xeI1dSFFn/nnv5OoZJEIB+VmuKn3DCUcCZSFlQPSXSfBDiUGhwOw76WuSSsf1D4b/vLoJ10wIDAQAB`,
  'rsa-pss': `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----
`,
  'ecc-p256':
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==',
  ed25519: 'JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=',
} as const

const DIGEST_OF_RFC =
  'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:'

/** The request that RFC 9421 signs in B.2, with the header that the proxy of 4.3 adds. */
const RFC_REQUEST = {
  method: 'POST',
  header: (name: string) =>
    ({
      date: 'Tue, 20 Apr 2021 02:07:55 GMT',
      'content-type': 'application/json',
      'content-length': '18',
      'content-digest': DIGEST_OF_RFC,
      forwarded: 'for=192.0.2.123;host=example.com;proto=https',
    })[name],
  body: Buffer.from('{"hello": "world"}'),
  sourceIp: undefined,
}

const BEHIND_PROXY = 'https://origin.host.internal.example/foo?param=Value&Pet=dog'

interface Published {
  readonly label: string
  readonly key: keyof typeof TEST_KEYS
  readonly by: string
  readonly input: string
  readonly signature: string
  readonly url?: string
}

const PUBLISHED: readonly Published[] = [
  {
    label: 'B.2.1',
    key: 'rsa-pss',
    by: 'rsa-pss-sha512',
    input: '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
    signature:
      'd2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==',
  },
  {
    label: 'B.2.2, with a member of the query',
    key: 'rsa-pss',
    by: 'rsa-pss-sha512',
    input:
      '("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
    signature:
      'LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==',
  },
  {
    label: 'B.2.3',
    key: 'rsa-pss',
    by: 'rsa-pss-sha512',
    input:
      '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
    signature:
      'bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==',
  },
  {
    label: 'B.2.6',
    key: 'ed25519',
    by: 'ed25519',
    input:
      '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    signature: 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  },
  {
    label: '4.3, of the client',
    key: 'ecc-p256',
    by: 'ecdsa-p256-sha256',
    input:
      '("@method" "@authority" "@path" "content-digest" "content-type" "content-length");created=1618884475;keyid="test-key-ecc-p256"',
    signature: 'X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==',
  },
  {
    label: '4.3, of the proxy',
    key: 'rsa',
    by: 'rsa-v1_5-sha256',
    input:
      '("@method" "@authority" "@path" "content-digest" "content-type" "content-length" "forwarded");created=1618884480;keyid="test-key-rsa";alg="rsa-v1_5-sha256";expires=1618884540',
    signature:
      'S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cCpXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp770I6VHR6WfgS9ddzirrswsE1w5o0LV/g==',
    url: BEHIND_PROXY,
  },
]

function baseOf(input: string, url = 'https://example.com/foo?param=Value&Pet=dog', request = RFC_REQUEST) {
  const read = readSignatureInput(`sig=${input}`)?.get('sig')
  if (read === undefined) throw new Error('not read')
  return signatureBases(request, url)(read)
}

describe("RFC 9421's own examples", () => {
  it.each(PUBLISHED)('$label', async ({ key, by, input, signature, url }) => {
    const base = baseOf(input, url)
    if ('unknown' in base) throw new Error(base.unknown)
    const signers: string[] = []
    for (const { algorithm, verifies } of messageKeys({ publicKeys: TEST_KEYS[key] })) {
      expect(await verifies(Buffer.from(`${base.text}.`), signature)).toBe(false)
      if (await verifies(Buffer.from(base.text), signature)) signers.push(algorithm)
    }
    expect(signers).toEqual([by])
  })

  it('B.2.5, by HMAC with a secret in base64', async () => {
    const base = baseOf('("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"')
    const secrets = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=='
    const signature = 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8='
    const message = Buffer.from('text' in base ? base.text : '')
    const verify = (form?: 'base64') => messageKeys({ secrets }, form)[0]?.verifies(message, signature)
    expect(await verify('base64')).toBe(true)
    expect(await verify()).toBe(false)
  })

  it.each([
    ['var', 'this%20is%20a%20big%0Amultiline%20value'],
    ['bar', 'with%20plus%20whitespace'],
    ['fa%C3%A7ade%22%3A%20', 'something'],
  ])('2.2.8, the member %s of the query', (name, value) => {
    const url =
      'https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something'
    const component = `"@query-param";name="${name}"`
    expect(baseOf(`(${component})`, url)).toMatchObject({
      text: `${component}: ${value}\n"@signature-params": (${component})`,
    })
  })

  it('2.1.3, a field as bytes', () => {
    const header = () => 'value, with, lots'
    expect(baseOf('("example-header";bs)', URL, { ...RFC_REQUEST, header })).toMatchObject({
      text: '"example-header";bs: :dmFsdWUsIHdpdGgsIGxvdHM=:\n"@signature-params": ("example-header";bs)',
    })
  })

  it.each([
    '"@query-param"',
    '"@query-param";name="absent"',
    '"@query-param";name="twice"',
    '"@method";req',
    '"@method";bs',
    '"content-type";sf',
    '"content-type";key="a"',
    '"content-type";tr',
    '"@status"',
    '"absent"',
    '"absent";bs',
  ])('the examples over %s are refused by name', (component) => {
    expect(baseOf(`("date" ${component})`, 'https://a.example/?twice=1&twice=2')).toEqual({
      unknown: component,
    })
  })
})

describe('a public key of HTTP Message Signatures', () => {
  const ed25519 = generateKeyPairSync('ed25519')
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-521' })
  const KINDS = [
    {
      algorithm: 'ed25519',
      text: ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
      signWith: (base: string) => sign(null, Buffer.from(base), ed25519.privateKey).toString('base64'),
    },
    {
      algorithm: 'ed25519',
      text: ed25519.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      signWith: (base: string) => sign(null, Buffer.from(base), ed25519.privateKey).toString('base64'),
    },
    {
      algorithm: 'ecdsa-p384-sha384',
      text: p384.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      signWith: (base: string) =>
        sign('sha384', Buffer.from(base), {
          key: p384.privateKey,
          dsaEncoding: 'ieee-p1363',
        }).toString('base64'),
    },
    {
      algorithm: 'rsa-v1_5-sha256',
      text: rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      signWith: (base: string) => sign('sha256', Buffer.from(base), rsa.privateKey).toString('base64'),
    },
    {
      algorithm: 'rsa-pss-sha512',
      text: rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      signWith: (base: string) =>
        sign('sha512', Buffer.from(base), {
          key: rsa.privateKey,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: 64,
        }).toString('base64'),
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

  it.each(KINDS)('$algorithm keys may stand beside secrets', async ({ algorithm, text, signWith }) => {
    const send = (sending: Sending) => receiver({ publicKeys: { id: 'theirs', secret: text } }).send(sending)
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
    short.publicKey.export({ format: 'pem', type: 'spki' }),
    other.publicKey.export({ format: 'pem', type: 'spki' }),
    p256.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  ])('a public key is never %j', (publicKeys) => {
    expect(() => rfc9421({ publicKeys: `${publicKeys}`, publicUrl: URL })).toThrow(/^publicKeys/)
  })
})

describe('the keyid of a signature', () => {
  const FORMER = 'the former secret'
  const named = {
    secrets: [
      { id: 'key-1', secret: SECRET },
      { id: 'key-2', secret: FORMER },
    ],
  }
  const byFormer: Sign = (base) => createHmac('sha256', FORMER).update(base).digest('base64')

  it('the keyid names the only key that may have made the signature, if you have named your keys', async () => {
    const accepted = { ok: true, event: { auth: { secretId: 'key-1' } } }
    expect(await receiver(named).send({ parameters: ';keyid="key-1"' })).toMatchObject(accepted)
    expect(await receiver(named).send({ parameters: ';keyid="key-2"' })).toMatchObject(MISMATCH)
    const former = { signWith: byFormer, parameters: ';keyid="key-2"' }
    const secretId = 'key-2'
    expect(await receiver(named).send(former)).toMatchObject({ ok: true, event: { auth: { secretId } } })
  })

  it.each(['key-3', '', 'KEY-1', 'key-1 '])(
    'the keyid is refused if none of your keys has that name: "%s"',
    async (name) => {
      expect(await receiver(named).send({ parameters: `;keyid="${name}"` })).toMatchObject({
        ...MISMATCH,
        detail: 'keyid is the name of none of the keys',
      })
    },
  )

  it('the keyid may be missing', async () => {
    expect(await receiver(named).send()).toMatchObject({ ok: true })
    expect(await receiver(named).send({ signWith: byFormer })).toMatchObject({ ok: true })
  })

  it('the keyid is not compared with a key that you have not named', async () => {
    const secrets = [{ id: 'key-1', secret: SECRET }, FORMER]
    const auth = { secretId: 'secret-2' }
    const former = { signWith: byFormer, parameters: ';keyid="anything"' }
    expect(await receiver({ secrets }).send(former)).toMatchObject({ ok: true, event: { auth } })
    expect(await receiver({ secrets }).send({ parameters: ';keyid="anything"' })).toMatchObject(MISMATCH)
    expect(await receiver({ secrets: SECRET }).send({ parameters: ';keyid="secret-2"' })).toMatchObject({
      ok: true,
    })
  })

  it('the keyid is compared without its escapes', async () => {
    const secrets = { id: 'a "key" \\', secret: SECRET }
    const parameters = ';keyid="a \\"key\\" \\\\"'
    expect(await receiver({ secrets }).send({ parameters })).toMatchObject({ ok: true })
  })

  it('the keyid is compared with the names of public keys too', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const secret = publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const signWith = (base: string) => sign(null, Buffer.from(base), privateKey).toString('base64')
    const send = (name: string) =>
      receiver({ secrets: undefined, publicKeys: { id: 'theirs', secret } }).send({
        signWith,
        parameters: `;keyid="${name}"`,
      })
    expect(await send('theirs')).toMatchObject({ ok: true })
    expect(await send('others')).toMatchObject(MISMATCH)
  })
})

describe('a signature over an HTTP message', () => {
  it('a signature is accepted once, and lists what it does not cover', async () => {
    const { clock, send } = receiver()
    const sentAt = new Date(clock.now())
    expect(await send()).toMatchObject({ ok: true, event: { sentAt, unsigned: [] } })
    expect(await send()).toMatchObject(IN_PROGRESS)
  })

  it('a signature must cover what you name', async () => {
    const { send } = receiver({ requiredComponents: ['@method', 'x-tenant'] })
    const headers = { 'x-tenant': '7' }
    expect(await send({ components: ['@method', 'x-tenant'], headers })).toMatchObject({ ok: true })
    expect(await send({ components: ['@method'], headers })).toMatchObject(MISMATCH)
  })

  it.each(['@query-param', '@status', '@made-up', '__proto__', 'constructor'])(
    'a signature over %s is refused',
    async (name) => expect(await receiver().send({ components: [name] })).toMatchObject(MISMATCH),
  )

  it('the detail names the component that cannot be checked', async () => {
    const { send } = receiver()
    const input = (usual: string) => `sig=${usual.replace('(', '("content-type";sf ')}`
    const headers = { 'content-type': 'application/json' }
    expect(await send({ input, headers })).toMatchObject({
      ...MISMATCH,
      detail: 'a signature covers "content-type";sf, which is missing or not supported',
    })
  })

  it('a signature over one component twice is refused', async () => {
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
  ])('a signature with %s is refused', async (_, change) => {
    expect(await receiver().send({ input: (usual) => `sig=${change(usual)}` })).toMatchObject(MISMATCH)
  })

  it('a signature is read in linear time', async () => {
    for (const text of [' ', '" ', '";a=', '"a";', '"\\"', ', ']) {
      const { send } = receiver()
      expect(await send({ input: () => `sig=(${text.repeat(1300)}`.slice(0, 4096) })).toMatchObject(MISMATCH)
    }
  })
})

it.each([
  ['publicUrl', { secrets: SECRET }],
  ['secrets[0]', { publicUrl: URL }],
])('rfc9421() names the option %s: %j', (option, options) => {
  expect(() => rfc9421(options as unknown as Rfc9421Options)).toThrowError(
    expect.objectContaining({ option }),
  )
})

/** What a public key may be pasted as, also of a kind that `publicKeys` does not take. */
const PUBLIC_FORMS = [
  ['ed25519', {}],
  ['rsa', { modulusLength: 1024 }],
  ['rsa', { modulusLength: 2048 }],
  ['ec', { namedCurve: 'P-521' }],
  ['ec', { namedCurve: 'secp256k1' }],
  ['ed448', {}],
].flatMap(([kind, options]) => {
  const { publicKey } = generateKeyPairSync(kind as 'rsa', options as { modulusLength: number })
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const pkcs1 =
    kind === 'rsa'
      ? [
          publicKey.export({ type: 'pkcs1', format: 'pem' }),
          publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
        ]
      : []
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
  const base64 = der.toString('base64')
  return [
    pem,
    pem.replaceAll('\n', '\n  '),
    jwk,
    base64,
    base64.replaceAll('=', ''),
    der.toString('base64url'),
    der.toString('hex'),
    ...pkcs1,
  ].map((secret) => [kind, String(secret)] as const)
})

it.each(PUBLIC_FORMS)('a public key of %s is no secret of HTTP Message Signatures: %s', (_, secret) => {
  for (const secretForm of ['text', 'hex'] as const)
    expect(() => rfc9421({ secrets: secret, publicUrl: URL, secretForm })).toThrow(/is a public key/)
})

it('1,000 random secrets of HTTP Message Signatures are taken, in base64, base64url and hex', () => {
  for (let count = 0; count < 1_000; count += 1) {
    const bytes = randomBytes(24 + (count % 40))
    for (const spelling of ['base64', 'base64url', 'hex'] as const)
      expect(() => rfc9421({ secrets: bytes.toString(spelling), publicUrl: URL })).not.toThrow()
  }
})

it('a public key is no secret of HTTP Message Signatures, for with it everybody could sign', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim()
  const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  for (const secrets of [pem, der, [{ id: 'a', secret: pem.replaceAll('\n', '\\n') }]])
    expect(() => rfc9421({ secrets, publicUrl: URL })).toThrow(/is a public key/)
  const secret = Buffer.alloc(32, 0x66).toString('base64') // may be a bare key of Ed25519 too
  expect(() => rfc9421({ secrets: secret, publicUrl: URL })).not.toThrow()
})
