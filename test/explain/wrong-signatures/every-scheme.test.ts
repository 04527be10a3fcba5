import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Secrets } from '../../../src/auth/secrets.ts'
import { expectedSender } from '../../../src/explain/expected-sender.ts'
import { explain } from '../../../src/explain/index.ts'
import { MOST_SIGNATURES, tryGuesses } from '../../../src/explain/try-guesses.ts'
import {
  type Delivery,
  defineListener,
  type Listener,
  ListenerConfigError,
  verify,
} from '../../../src/index.ts'
import { defineScheme, type SchemeOptions } from '../../../src/schemes/kit/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { schemeFactory } from '../../support/schemes.ts'

interface Case {
  readonly method: string
  readonly url?: string
  readonly requestUrl?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly options?: SchemeOptions
  readonly expect: { readonly ok: boolean }
}

interface VectorFile {
  readonly scheme: string
  readonly options: SchemeOptions
  readonly now: number
  readonly cases: readonly Case[]
}

const FOLDER = fileURLToPath(new URL('../../vectors/schemes/', import.meta.url))
const files: readonly VectorFile[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json') && file !== 'handshakes.json')
  .map((file) => JSON.parse(readFileSync(FOLDER + file, 'utf8')))

/** Those whose receiver has a secret or a public key. The others ask their sender for its keys, so there is nothing to try. */
const withKeys = files.filter(
  ({ options }) => options.secrets !== undefined || options.publicKeys !== undefined,
)

function deliveryOf({ method, url, requestUrl = url, headers, body = '', bodyBase64 }: Case): Delivery {
  return {
    method,
    url: requestUrl,
    header: (name) => {
      const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
      return values.length > 1 ? values : values[0]
    },
    body: Buffer.from(bodyBase64 ?? body, bodyBase64 === undefined ? 'utf8' : 'base64'),
    sourceIp: undefined,
  }
}

/** A genuine delivery, and its listener with every secret changed: or the error at its start. */
async function withOtherSecrets(
  { scheme, options, now, cases }: VectorFile,
  change: (secret: string) => string,
): Promise<{ readonly delivery: Delivery; readonly listener: Listener } | string> {
  const genuine = cases.find(({ method, expect: { ok } }) => ok && method === 'POST')
  if (genuine === undefined) throw new Error(`${scheme}: no genuine delivery`)
  const { secrets, publicKeys, ...rest } = { ...options, ...genuine.options }
  const clock = { now: () => now * 1000 }
  try {
    const auth = (await schemeFactory(scheme))({
      ...rest,
      ...(secrets !== undefined && { secrets: changed(secrets, change) }),
      ...(publicKeys !== undefined && { publicKeys: changed(publicKeys, change) }),
    })
    const listener = defineListener({ id: scheme, auth, store: memoryStore({ clock, maxRecords: 9 }), clock })
    return { delivery: deliveryOf(genuine), listener }
  } catch (error) {
    if (error instanceof ListenerConfigError) return error.message
    throw error
  }
}

function changed(given: Secrets, change: (secret: string) => string): Secrets {
  return [given]
    .flat()
    .map((entry) =>
      typeof entry === 'object' ? { ...entry, secret: change(entry.secret) } : change(entry ?? ''),
    )
}

/** With the first secret alone: two equal ones are another error. */
function firstOf({ secrets, publicKeys, ...rest }: SchemeOptions): SchemeOptions {
  const first = (given: Secrets | undefined) => [given ?? []].flat().slice(0, 1)
  return { ...rest, ...(secrets ? { secrets: first(secrets) } : { publicKeys: first(publicKeys) }) }
}

describe('every scheme with a secret', () => {
  it.each(withKeys)('$scheme: a space at the secret’s end is named', async (file) => {
    const made = await withOtherSecrets(file, (secret) => `${secret} `)
    if (typeof made === 'string') return expect(made).toMatch(/space|must be base64/)
    const verdict = await verify(made.delivery, made.listener)
    expect(verdict).toMatchObject({ ok: false, status: 401 })
    expect((await explain(made.delivery, verdict, made.listener)).likely[0]).toMatch(
      /secret has a space at its end/,
    )
  })

  it.each(withKeys)('$scheme: an error of the secret names the sender and its word for it', async (file) => {
    const { sender, secretName } = (await schemeFactory(file.scheme)).scheme
    const error = await withOtherSecrets({ ...file, options: firstOf(file.options) }, () => '')
    expect(error).toMatch(/looks empty or unset/)
    expect(error).toContain(`for ${sender}, pass the ${secretName}`)
  })

  it.each(withKeys)('$scheme: an unknown mistake costs at most 1,700 signatures', async (file) => {
    const made = await withOtherSecrets(file, (secret) =>
      secret.replace(/[0-9]/g, '7').replace(/[a-f]/g, 'e'),
    )
    if (typeof made === 'string') return expect(made).toMatch(/./) // a public key that is none
    const { delivery, listener } = made
    const { says, signatures } = await tryGuesses(delivery, listener, expectedSender(listener, undefined))
    expect(says).toBeUndefined()
    expect(signatures).toBeLessThanOrEqual(MOST_SIGNATURES)
  })
})

/** The first explanation of a genuine delivery whose listener has only changed secrets. */
async function firstSaid(scheme: string, change: (secret: string) => string): Promise<string | undefined> {
  const file = files.find((each) => each.scheme === scheme)
  if (file === undefined) throw new Error(`${scheme}: no vectors`)
  const made = await withOtherSecrets(file, change)
  if (typeof made === 'string') throw new Error(made)
  const verdict = await verify(made.delivery, made.listener)
  return (await explain(made.delivery, verdict, made.listener)).likely[0]
}

it.each(['github', 'meta'])('%s: a secret with the prefix of signatures is named', async (scheme) => {
  expect(await firstSaid(scheme, (secret) => `sha256=${secret}`)).toMatch(
    /secret begins with sha256=, as \S+ signatures do: remove it/,
  )
})

it.each(['svix', 'standard-webhooks'])('%s: a secret written in hex is named', async (scheme) => {
  const inHex = (secret: string) =>
    `whsec_${Buffer.from(secret.replace('whsec_', ''), 'base64').toString('hex')}`
  expect(await firstSaid(scheme, inHex)).toMatch(/is the hex form of the one that .* uses: pass its base64/)
})

it('Paystack: the key of its API is the secret, so another mistake is named', async () => {
  expect(await firstSaid('paystack', (secret) => `sk_live_${secret}`)).toMatch(
    /or Paystack did not send this; nothing more specific was found$/,
  )
})

describe('the mode that the body names', async () => {
  const named = await Promise.all(
    files.map(async (file) => ({ file, mode: (await schemeFactory(file.scheme)).scheme.facts?.mode })),
  )
  const withMode = named.flatMap(({ file, mode }) => (mode === undefined ? [] : [{ ...file, mode }]))

  it('the rows of eight senders say where', () => {
    expect(withMode.map(({ scheme }) => scheme).join(' ')).toBe(
      'adyen-platform adyen commerce-layer easypost lemon-squeezy modern-treasury paystack stripe',
    )
  })

  it.each(withMode)('$scheme: is asked about, if nothing else explains the signature', async (file) => {
    const { member, live, test } = file.mode
    const made = await withOtherSecrets(file, (secret) =>
      secret.replace(/[0-9]/g, '7').replace(/[a-f]/g, 'e'),
    )
    if (typeof made === 'string') throw new Error(made)
    for (const [value, question] of [
      [test, /^the body says that this is a test event: is this the live endpoint's secret\?$/],
      [live, /^the body says that this is a live event: is this a test endpoint's secret\?$/],
      ['another', undefined],
    ] as const) {
      const body = JSON.parse(Buffer.from(made.delivery.body).toString())
      const steps = member.split('/').slice(1)
      const last = steps.pop() ?? ''
      let holder = body
      for (const step of steps) holder = holder[step] ??= {}
      holder[last] = value
      const delivery = { ...made.delivery, body: Buffer.from(JSON.stringify(body)) }
      const verdict = await verify(delivery, made.listener)
      const { likely } = await explain(delivery, verdict, made.listener)
      expect(likely.filter((said) => said.startsWith('the body says'))).toEqual(
        question === undefined ? [] : [expect.stringMatching(question)],
      )
    }
  })
})

describe('the URL that was signed', () => {
  const withUrl = files.filter(({ scheme }) => ['square', 'trello', 'hubspot', 'twilio'].includes(scheme))
  const PUBLIC_URL = 'http://localhost:3000/hooks'

  it.each(withUrl)('$scheme: is named, and the configured one', async (file) => {
    const signed = new URL(file.options.publicUrl ?? '')
    const options = { ...file.options, publicUrl: PUBLIC_URL }
    const cases = file.cases.filter((each) => each.options?.publicUrl === undefined)
    const made = await withOtherSecrets({ ...file, options, cases }, (secret) => secret)
    if (typeof made === 'string') throw new Error(made)
    const { delivery, listener } = made
    const forwarded: { readonly [name: string]: string } = { 'x-forwarded-host': signed.host }
    const proxied: Delivery = {
      ...delivery,
      url: signed.pathname + signed.search,
      header: (name) => forwarded[name] ?? delivery.header(name),
    }
    const { likely } = await explain(proxied, await verify(proxied, listener), listener)
    expect(likely[0]).toContain(`signed ${signed.href}; publicUrl is ${PUBLIC_URL}: set publicUrl`)
  })
})

it('the signatures that are computed are counted', async () => {
  let computed = 0
  const counting = defineScheme({
    name: 'counting',
    sender: 'Counting',
    secretName: 'secret',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-signature'], spelling: 'hex' },
    signs: ({ body }) => {
      computed += 3
      return [body, body, body]
    },
    maxBodyBytes: 1000,
    limits: '',
  })
  const listener = defineListener({
    id: 'counting',
    auth: counting({ secrets: ['a-secret', 'another-secret'] }),
    store: memoryStore({ maxRecords: 1 }),
  })
  const body = new TextEncoder().encode('{ "a": 1, "b": ["x/y", "ë"] }')
  const delivery = deliveryOf({
    method: 'POST',
    headers: [
      ['X-Signature', 'a'.repeat(64)],
      ['Content-Type', 'application/json'],
    ],
    bodyBase64: Buffer.from(body).toString('base64'),
    expect: { ok: false },
  })
  const { signatures } = await tryGuesses(delivery, listener, expectedSender(listener, undefined))
  expect(signatures).toBe(computed)
  expect(signatures).toBeGreaterThan(500)
  expect(signatures).toBeLessThanOrEqual(MOST_SIGNATURES)
})
