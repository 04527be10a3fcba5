import { createHash, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Authenticator, replyTo } from '../../src/index.ts'
import { type AppStoreOptions, appStore } from '../../src/schemes/app-store.ts'
import { chargebee } from '../../src/schemes/chargebee.ts'
import { deepgram } from '../../src/schemes/deepgram.ts'
import { googleChannels } from '../../src/schemes/google-channels.ts'
import { monday } from '../../src/schemes/monday.ts'
import { netlify } from '../../src/schemes/netlify.ts'
import { pipedrive } from '../../src/schemes/pipedrive.ts'
import { postmark } from '../../src/schemes/postmark.ts'
import { ringcentral } from '../../src/schemes/ringcentral.ts'
import { vercelConnect } from '../../src/schemes/vercel-connect.ts'
import { wix } from '../../src/schemes/wix.ts'
import { x } from '../../src/schemes/x.ts'
import { fakeClock } from '../support/clock.ts'
import { DUPLICATE, IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

interface Vectors {
  readonly now: number
  readonly options: AppStoreOptions
  readonly cases: readonly { readonly name: string; readonly body: string }[]
}

const apple: Vectors = JSON.parse(
  readFileSync(new URL('../vectors/schemes/app-store.json', import.meta.url), 'utf8'),
)
const bodyOf = (name: string) => {
  const found = apple.cases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no vector: ${name}`)
  return found.body
}
const GENUINE = bodyOf('a delivery as the sender makes it')
const json = { 'content-type': 'application/json' }

describe('the App Store', () => {
  const receiver = (change: Partial<AppStoreOptions> = {}) => {
    const { receive } = schemeReceiver(appStore({ ...apple.options, ...change }), fakeClock(apple.now))
    return (body: string) => receive({ headers: json, body })
  }

  it('the App Store’s chain, once verified, vouches for no other key, and a forged one is not remembered', async () => {
    const send = receiver()
    const forged = bodyOf('another chain whose names are like Apple’s')
    const stolen = bodyOf('Apple’s chain over another key’s signature')
    for (const body of [forged, stolen, forged]) expect(await send(body)).toMatchObject(MISMATCH)
    const verdict = await send(GENUINE)
    expect(verdict).toMatchObject({ ok: true, event: { type: 'DID_RENEW', unsigned: [] } })
    for (const body of [stolen, forged]) expect(await send(body)).toMatchObject(MISMATCH)
    if (verdict.ok) await verdict.event.commit()
    expect(await send(GENUINE)).toMatchObject(DUPLICATE)
  })

  it('the App Store may change its chain, and change back', async () => {
    const renewed = bodyOf('another chain whose names are like Apple’s')
    const [header = ''] = JSON.parse(renewed).signedPayload.split('.')
    const [, , root] = JSON.parse(Buffer.from(header, 'base64url').toString()).x5c
    const send = receiver({ rootCertificates: [apple.options.rootCertificates, root].flat() })
    expect(await send(GENUINE)).toMatchObject({ ok: true })
    for (const body of [renewed, GENUINE, renewed]) expect(await send(body)).toMatchObject(IN_PROGRESS)
  })

  it('the App Store’s root must have been valid too when the notification was signed', async () => {
    const pem = [apple.options.rootCertificates].flat()[0]
    if (typeof pem !== 'string') throw new Error('the root of the vectors is no PEM')
    const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64')
    const [, notAfter, another] = [...der.toString('latin1').matchAll(/[0-9]{12,14}Z/g)]
    if (notAfter === undefined || another) throw new Error('the root of the vectors has other times')
    expect(await receiver({ rootCertificates: der })(GENUINE)).toMatchObject({ ok: true })
    der.write('20250101000000Z'.slice(-notAfter[0].length), notAfter.index)
    expect(await receiver({ rootCertificates: der })(GENUINE)).toMatchObject(MISMATCH)
  })

  it('the App Store’s notification is claimed by its ID, whatever stands beside it', async () => {
    const send = receiver()
    expect(await send(GENUINE)).toMatchObject({ ok: true })
    expect(await send(bodyOf('a member beside signedPayload, which nothing signs'))).toMatchObject(
      IN_PROGRESS,
    )
  })

  it('the App Store’s root may be PEM, base64 or DER, and one of several, of which RSA roots are not used', async () => {
    const pem = String(apple.options.rootCertificates)
    const base64 = pem.replace(/-----.*?-----|\s/g, '')
    const rsa = readFileSync(new URL('../../tools/vectors/rsa/sender.cert.pem', import.meta.url), 'utf8')
    for (const rootCertificates of [base64, Buffer.from(base64, 'base64'), [rsa, pem]]) {
      expect(await receiver({ rootCertificates })(GENUINE)).toMatchObject({ ok: true })
    }
    expect(() => receiver({ rootCertificates: rsa })).toThrow(/^rootCertificates: has no root/)
  })

  it.each([
    ['rootCertificates', { rootCertificates: [] }],
    ['rootCertificates', { rootCertificates: '' }],
    ['rootCertificates', { rootCertificates: new Uint8Array(0) }],
    ['rootCertificates', { rootCertificates: 'AppleRootCA-G3.cer' }],
    ['rootCertificates', { rootCertificates: undefined }],
    ['bundleId', { bundleId: '' }],
    ['bundleId', { bundleId: undefined }],
    ['environment', { environment: 'Xcode' }],
    ['environment', { environment: undefined }],
    ['appAppleId', { appAppleId: undefined }],
    ['appAppleId', { appAppleId: '1234567890' }],
  ])('the App Store’s option %s is refused: %j', (option, change) => {
    const options: object = { ...apple.options, ...change }
    expect(() => appStore(options as AppStoreOptions)).toThrow(new RegExp(`^${option}`))
  })

  it('the App Store’s body is at most 256 KB, and its header at most 16 KB', async () => {
    const send = receiver()
    expect(await send(`{"signedPayload":"${'a'.repeat(262_144)}"}`)).toMatchObject({
      reason: 'body_too_large',
    })
    const long = Buffer.from(JSON.stringify({ alg: 'ES256', x5c: ['A'.repeat(20_000)] })).toString(
      'base64url',
    )
    expect(await send(`{"signedPayload":"${long}.e30.AAAA"}`)).toMatchObject(MISMATCH)
  })
})

describe('Wix', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const token = (data: object, times: object = {}) => {
    const parts = [{ alg: 'RS256' }, { data: JSON.stringify(data), ...times }]
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${text}.${signBytes('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }
  const event = token({ eventType: 'a', instanceId: '1', data: '{"id":"one"}' })

  it.each([
    ['PEM with a line break at its end', pem],
    ['PEM without', pem.trim()],
    ['PEM with CRLF', pem.replaceAll('\n', '\r\n')],
    ['the base64 of PEM', Buffer.from(pem).toString('base64')],
  ])('the key of Wix may be %s', async (_, publicKeys) => {
    const { receive } = schemeReceiver(wix({ publicKeys }))
    expect(await receive({ headers: {}, body: event })).toMatchObject({
      ok: true,
      event: { id: 'one', type: 'a', payload: { instanceId: '1', data: { id: 'one' } }, unsigned: [] },
    })
  })

  it.each([
    ['none', undefined],
    ['empty', ''],
    ['a file’s name', 'key.pem'],
    ['a private key', privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['a key of 1,024 bits', smallKey()],
    ['a key of another kind', ecKey()],
  ])('the key of Wix is refused: %s', (_, publicKeys) => {
    expect(() => wix({ publicKeys })).toThrow(/^publicKeys|^wix/)
  })

  it('an event of Wix is refused before its nbf and after its exp, as jose refuses it', async () => {
    const { clock, receive } = schemeReceiver(wix({ publicKeys: pem }))
    const now = clock.now() / 1000
    const send = (times: object) => receive({ headers: {}, body: token({ eventType: 'a' }, times) })
    expect(await send({ nbf: now, exp: now + 1 })).toMatchObject({ ok: true })
    expect(await send({ nbf: now + 60 })).toMatchObject({ ok: false, reason: 'token_invalid' })
    expect(await send({ exp: now })).toMatchObject({ ok: false, reason: 'token_expired' })
  })

  it('events of Wix are claimed by their ID, and legacy ones by their token', async () => {
    const { receive } = schemeReceiver(wix({ publicKeys: pem }))
    const send = (body: string) => receive({ headers: {}, body })
    expect(await send(event)).toMatchObject({ ok: true })
    expect(await send(token({ eventType: 'b', data: '{"id":"one"}' }))).toMatchObject(IN_PROGRESS)
    const legacy = token({ eventType: 'AppInstalled', instanceId: '1' })
    expect(await send(legacy)).toMatchObject({ ok: true, event: { type: 'AppInstalled' } })
    expect(await send(legacy)).toMatchObject(IN_PROGRESS)
  })

  function smallKey(): string {
    const pair = generateKeyPairSync('rsa', { modulusLength: 1024 })
    return pair.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  }

  function ecKey(): string {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return pair.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  }
})

describe('X', () => {
  const { receive } = schemeReceiver(x({ secrets: [{ id: 'new', secret: 'a-new-secret' }, 'an-old-secret'] }))

  it('X gets its challenge signed with the first secret, and no delivery has that signature', async () => {
    for (const token of ['123', 'null', 'true', '0', '-1', '1.5', '1e+3']) {
      const url = `/hooks?crc_token=${encodeURIComponent(token)}`
      const asked = await receive({ method: 'GET', url, headers: {}, body: '' })
      if (asked.ok) throw new Error('a challenge is no event')
      const signature: string = JSON.parse(replyTo(asked).body).response_token
      const headers = { ...json, 'x-twitter-webhooks-signature': signature }
      const offered = await receive({ headers, body: token })
      expect(offered).toMatchObject({ ok: false, reason: 'body_malformed', status: 400 })
    }
  })

  it.each(['NTg3LWFiYw==', 'a+b/c', 'a.b~c'])('X gets %j signed', async (token) => {
    const url = `/hooks?crc_token=${encodeURIComponent(token)}`
    const verdict = await receive({ method: 'GET', url, headers: {}, body: '' })
    if (verdict.ok) throw new Error('a challenge is no event')
    const mac = createHmac('sha256', 'a-new-secret').update(token).digest('base64')
    expect(JSON.parse(replyTo(verdict).body)).toEqual({ response_token: `sha256=${mac}` })
  })

  it.each(['{"a":1}', '[1]', '"a"', ' 1', '1\n', '', 'ä', '%00'])(
    'X gets no signature of %j',
    async (token) => {
      const url = `/hooks?crc_token=${encodeURIComponent(token)}`
      const verdict = await receive({ method: 'GET', url, headers: {}, body: '' })
      if (verdict.ok) throw new Error('a challenge is no event')
      expect(replyTo(verdict)).toMatchObject({ status: 400, body: '' })
    },
  )
})

describe('Netlify', () => {
  const { clock, receive } = schemeReceiver(netlify({ secrets: 'a secret' }))
  const body = '{"id":"1"}'
  const send = (claims: object) => {
    const parts = [
      { alg: 'HS256' },
      { iss: 'netlify', sha256: createHash('sha256').update(body).digest('hex'), ...claims },
    ]
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const signature = createHmac('sha256', 'a secret').update(text).digest('base64url')
    return receive({ headers: { ...json, 'x-webhook-signature': `${text}.${signature}` }, body })
  }

  it('a token of Netlify has no times, but if it has them, they hold, as in the libraries that Netlify names', async () => {
    const now = clock.now() / 1000
    expect(await send({})).toMatchObject({ ok: true })
    expect(await send({ nbf: now, exp: now + 1 })).toMatchObject({ ok: true })
    expect(await send({ exp: now })).toMatchObject({ ok: false, reason: 'token_expired' })
    expect(await send({ nbf: now + 60 })).toMatchObject({ ok: false, reason: 'token_invalid' })
    expect(await send({ exp: 'never' })).toMatchObject({ ok: false, reason: 'token_invalid' })
  })

  it('a token of Netlify names Netlify, and the hash of this body in lower-case hex', async () => {
    const hash = createHash('sha256').update(body).digest()
    for (const claims of [
      { iss: 'Netlify' },
      { iss: null },
      { sha256: hash.toString('hex').toUpperCase() },
      { sha256: hash.toString('base64') },
      { sha256: undefined },
    ])
      expect(await send(claims)).toMatchObject({ ok: false, reason: 'token_invalid' })
  })
})

describe('Google’s channels', () => {
  const { receive } = schemeReceiver(googleChannels({ secrets: 'a token' }))
  const send = (channel: string | undefined, number: string | undefined, token = 'a token') =>
    receive({
      headers: {
        'x-goog-channel-token': token,
        'x-goog-channel-id': channel,
        'x-goog-message-number': number,
        'x-goog-resource-state': 'exists',
      },
      body: '',
    })

  it('Google’s messages are claimed by channel and number, because their bodies are empty', async () => {
    const unsigned = ['id', 'type']
    expect(await send('one', '1')).toMatchObject({
      ok: true,
      event: { payload: null, type: 'exists', unsigned },
    })
    expect(await send('one', '1')).toMatchObject(IN_PROGRESS)
    expect(await send('one', '2')).toMatchObject({ ok: true })
    expect(await send('two', '1')).toMatchObject({ ok: true })
    expect(await send('one', '1', 'another')).toMatchObject(MISMATCH)
  })

  it('Google’s messages without a number claim nothing, rather than each other', async () => {
    expect(await send('three', undefined)).toMatchObject({ ok: true })
    expect(await send('three', undefined)).toMatchObject({ ok: true })
  })
})

describe('RingCentral', () => {
  const { receive } = schemeReceiver(ringcentral({ secrets: 'a token' }))
  const headers = { ...json, 'validation-token': 'echo' }

  it('RingCentral’s request that validates the URL is answered, with a verification token or without', async () => {
    for (const more of [{}, { 'verification-token': 'a token' }]) {
      const verdict = await receive({ headers: { ...headers, ...more }, body: '' })
      if (verdict.ok) throw new Error('it is no event')
      expect(replyTo(verdict)).toMatchObject({
        status: 200,
        headers: { 'validation-token': 'echo', 'content-type': 'application/json' },
        body: '',
      })
    }
  })

  it('RingCentral’s token is echoed to a POST only', async () => {
    expect(await receive({ method: 'GET', headers, body: '' })).toMatchObject({ reason: 'method_not_post' })
  })

  it('RingCentral’s delivery is none that a Validation-Token swallows', async () => {
    const body = '{"uuid":"1"}'
    expect(await receive({ headers, body })).toMatchObject({ ok: false, reason: 'auth_missing', status: 401 })
    expect(await receive({ headers: { ...headers, 'validation-token': 'a token' }, body })).toMatchObject({
      reason: 'auth_missing',
    })
    const right = { ...headers, 'verification-token': 'a token' }
    expect(await receive({ headers: right, body })).toMatchObject({ ok: true, event: { id: '1' } })
    expect(await receive({ headers: { ...right, 'verification-token': 'A token' }, body })).toMatchObject(
      MISMATCH,
    )
  })
})

describe('HTTP Basic', () => {
  const basic = (pair: string, encoding: BufferEncoding = 'utf8') =>
    `Basic ${Buffer.from(pair, encoding).toString('base64')}`

  it.each(['a:b', 'a:b:c', 'ä:ß€', ':password', 'a b: c ', 'a:::b', 'null-user:b'])(
    'HTTP Basic has the user and the password %j, and no part of them',
    async (pair) => {
      const { receive } = schemeReceiver(chargebee({ secrets: pair }))
      const send = (authorization: string) =>
        receive({ headers: { ...json, authorization }, body: '{"id":"1"}' })
      expect(await send(basic(pair))).toMatchObject({ ok: true })
      for (const other of [`${pair} `, ` ${pair}`, `${pair}:`, pair.slice(0, -1), pair.replace(':', '::')]) {
        expect(await send(basic(other))).toMatchObject(MISMATCH)
      }
      if (/[ä]/.test(pair)) expect(await send(basic(pair, 'latin1'))).toMatchObject(MISMATCH)
    },
  )

  const BASIC = [chargebee, deepgram, pipedrive, postmark]

  it.each([
    ':',
    '::',
    'user:',
    'user: ',
    'user:""',
    ' : ',
    'user',
    ':undefined',
    'undefined:',
    'null:undefined',
  ])('HTTP Basic has no credentials with a password of nothing: %j', (pair) => {
    for (const scheme of BASIC)
      for (const secrets of [pair, ['user:password', pair], { id: 'main', secret: pair }])
        expect(() => scheme({ secrets })).toThrow(
          /^secrets\S*: .*; set the environment variable.*, pass the user:/,
        )
  })

  it.each([
    'undefined:password',
    'user_null:password',
    'Basic undefined:password',
    '[object Promise]:password',
  ])('HTTP Basic has no user that was made of nothing, although it may be empty: %j', (pair) => {
    for (const scheme of BASIC) {
      expect(() => scheme({ secrets: pair })).toThrow(
        /^secrets\[0\]: (?:looks empty or unset|is an object); /,
      )
      expect(() => scheme({ secrets: ':password' })).not.toThrow()
    }
  })

  it('HTTP Basic is not read from two headers, or from one that is too long', async () => {
    const { receive } = schemeReceiver(deepgram({ secrets: 'a:b' }))
    const send = (authorization: string | readonly string[]) =>
      receive({ headers: { authorization }, body: '{}' })
    expect(await send([basic('a:b'), basic('a:b')])).toMatchObject(MISMATCH)
    expect(await send(`Basic ${'A'.repeat(4096)}`)).toMatchObject(MISMATCH)
    expect(await send(basic('a:b'))).toMatchObject({ ok: true })
  })

  it('a retry of Pipedrive is the same event, although its body counts the attempts', async () => {
    const { receive } = schemeReceiver(pipedrive({ secrets: 'a:b' }))
    const send = (attempt: number) =>
      receive({
        headers: { ...json, authorization: basic('a:b') },
        body: JSON.stringify({ meta: { id: '1', action: 'change', entity: 'deal', attempt } }),
      })
    expect(await send(1)).toMatchObject({ ok: true, event: { type: 'change.deal' } })
    expect(await send(2)).toMatchObject(IN_PROGRESS)
  })
})

describe('what is configured', () => {
  const EMPTY: readonly (readonly [string, (secrets: string | undefined) => Authenticator])[] = [
    ['chargebee', (secrets) => chargebee({ secrets })],
    ['deepgram', (secrets) => deepgram({ secrets })],
    ['googleChannels', (secrets) => googleChannels({ secrets })],
    ['monday', (secrets) => monday({ secrets, publicUrl: 'https://a.example/hooks' })],
    ['netlify', (secrets) => netlify({ secrets })],
    ['pipedrive', (secrets) => pipedrive({ secrets })],
    ['ringcentral', (secrets) => ringcentral({ secrets })],
    ['x', (secrets) => x({ secrets })],
  ]

  it.each(EMPTY)('%s refuses an empty, blank or missing secret', (_, make) => {
    for (const secret of ['', ' ', undefined]) expect(() => make(secret)).toThrow(/^secrets/)
  })

  it('monday.com needs the URL that its tokens name', () => {
    expect(() => monday({ secrets: 'a', publicUrl: '/hooks' })).toThrow(/^publicUrl/)
  })

  it.each([
    { projectId: '', environment: 'production' },
    { projectId: [], environment: 'production' },
    { projectId: 'prj_1', environment: '' },
    { projectId: 'prj_1', environment: ['production', ''] },
    { projectId: 'prj_1', environment: 'production', ownerId: '' },
  ])('Vercel Connect needs a project and an environment: %j', (options) => {
    expect(() => vercelConnect(options)).toThrow(/^projectId|^environment|^ownerId/)
  })
})
