import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { defineListener, hmac, type Listener, verify } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { bitbucket } from '../../src/schemes/bitbucket.ts'
import { clerk } from '../../src/schemes/clerk.ts'
import { github } from '../../src/schemes/github.ts'
import { gitlabSigning } from '../../src/schemes/gitlab-signing.ts'
import { meta } from '../../src/schemes/meta.ts'
import { resend } from '../../src/schemes/resend.ts'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { svix } from '../../src/schemes/svix.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, signHmac, signJwt, toDelivery } from '../../src/testing/index.ts'
import { newKey } from '../support/keys.ts'

const SECRET = 'explain-tests-0123456789-abcdefghijklmnopqr'
const store = memoryStore()
const ours = defineListener({ id: 'ours', auth: hmac({ secrets: SECRET }), store })

async function explained(
  request: Awaited<ReturnType<typeof signHmac>>,
  listener: Listener<unknown> = ours,
  known: Parameters<typeof explain>[3] = { secret: SECRET },
) {
  const delivery = toDelivery(request)
  return explain(delivery, await verify(delivery, listener), listener, known)
}

const passed = ({ checks }: Awaited<ReturnType<typeof explain>>) =>
  checks.map(({ name, ok }) => `${name} ${ok === null ? 'not reached' : ok ? 'passed' : 'refused'}`)

describe('a form of GitHub', () => {
  const listener = defineListener({ id: 'github', auth: github({ secrets: SECRET }), store })
  const form = { contentType: 'application/x-www-form-urlencoded' }

  it('a form of GitHub passes the checks as JSON does, and is refused at its body if it holds more than the event', async () => {
    const own = { secret: SECRET, eventType: 'push' }
    const { checks } = await explained(
      await signAs(github, { ...own, ...form, body: { ref: 'a' } }),
      listener,
    )
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    const more = await signAs(github, { ...own, ...form, body: 'payload=%7B%7D&a=1' })
    expect(passed(await explained(more, listener))).toContain('body refused')
  })

  it('a form of GitHub that arrives as the JSON in it is told from a wrong secret', async () => {
    const body = '{"ref":"a b"}'
    const { headers } = await signAs(github, { secret: SECRET, ...form, body })
    const request = {
      method: 'POST' as const,
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    }
    const { likely } = await explained(request, listener)
    expect(likely.join()).toMatch(/serialised again/)
  })

  it.each([
    ['half a surrogate pair, which no URL can hold', '{"a":"\\ud800"}'],
    [
      '5,000 levels, which overflow the stack when they are written again',
      '['.repeat(5000) + ']'.repeat(5000),
    ],
  ])('a wrong signature is explained even if the JSON holds %s', async (_, body) => {
    const delivery = toDelivery(await signAs(github, { secret: 'another-secret-0123456789', body }))
    const { likely } = await explain(delivery, await verify(delivery, listener), listener)
    expect(likely[0]).toMatch(/nothing more specific was found$/)
  })
})

describe('the checks', () => {
  it('all pass for an accepted delivery, including the claim', async () => {
    const { checks, likely, token } = await explained(await signHmac({ secret: SECRET, body: '{}' }))
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(checks.at(-1)?.name).toBe('claim')
    expect([likely, token]).toEqual([[], []])
  })

  it('the checks end with the one that refused', async () => {
    const [size, headers, body, ...rest] = passed(
      await explained(await signHmac({ secret: SECRET, body: '{' })),
    )
    expect([size, headers, body]).toEqual(['body-size passed', 'headers passed', 'body refused'])
    expect(rest).toContain('authenticity not reached')
    expect(rest.at(-1)).toBe('claim not reached')
    expect(rest.filter((line) => !line.endsWith(' not reached'))).toEqual([])
  })

  it('name the claim for a duplicate', async () => {
    const request = await signHmac({ secret: SECRET, body: '{}' })
    const first = await verify(toDelivery(request), ours)
    if (first.ok) await first.event.commit()
    expect(passed(await explained(request)).slice(-2)).toEqual(['authenticity passed', 'claim refused'])
  })

  it("the checks have the scheme's order, and include a payload schema if there is one", async () => {
    const payload = {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const
    const listener = defineListener({
      id: 's',
      auth: stripe({ secrets: 'whsec_for_trying' }),
      store,
      payload,
    })
    const { checks } = await explained(await signHmac({ secret: SECRET, body: '{}' }), listener)
    const names = checks.map(({ name }) => name)
    expect([names[0], ...names.slice(-2)]).toEqual(['body-size', 'payload', 'claim'])
    const ordered = ['source-ip', 'headers', 'authenticity', 'body', 'timestamp', 'event-id']
    expect(names.filter((name) => ordered.includes(name))).toEqual(ordered)
    expect(checks.find(({ ok }) => ok === false)?.name).toBe('authenticity')
  })
})

describe('the likely mistakes', () => {
  it('name a mistake in the way a signature was made', async () => {
    const request = await signHmac({ secret: `${SECRET}\n`, body: '{}' })
    expect((await explained(request)).likely).toEqual([
      "the sender's copy of the secret has a line break at its end: correct it there",
    ])
  })

  it('do not ask you to correct a secret that the sender has made: your own test signs with it', async () => {
    const secret = 'whsec_for_trying'
    const listener = defineListener({ id: 's', auth: stripe({ secrets: secret }), store })
    const body = '{"id":"evt_1"}'
    const time = Math.floor(Date.now() / 1000)
    for (const [given, what] of [
      [`${secret} `, 'a space at its end'],
      [` ${secret}`, 'a space at its start'],
      [`"${secret}"`, 'quotes around it'],
      [`${secret}\n`, 'a line break at its end'],
    ] as const) {
      const mac = createHmac('sha256', given).update(`${time}.${body}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${mac}` }
      expect((await explained({ method: 'POST', headers, body }, listener)).likely).toEqual([
        `this was not signed by Stripe, but e.g. by a test whose secret has ${what}: correct it there`,
      ])
    }
  })

  it('name two at once', async () => {
    const { headers, ...rest } = await signHmac({ secret: SECRET, body: '{"a":1}' })
    const hex = Buffer.from(headers['webhook-signature'] ?? '', 'base64url').toString('hex')
    const { likely } = await explained({
      ...rest,
      body: '{ "a": 1 }',
      headers: { ...headers, 'webhook-signature': hex },
    })
    expect(likely).toEqual([
      'the digest is sent as hex, not base64url',
      expect.stringMatching(
        /^the body was parsed and serialised again after the sender signed it; sign exactly the bytes that are sent$/,
      ),
    ])
  })

  it('the mistakes say so if none fits, and say nothing if the secret is not known', async () => {
    const request = await signHmac({ secret: 'another-secret-0123456789', body: '{}' })
    expect((await explained(request)).likely).toEqual([
      expect.stringMatching(
        /^the secret is wrong, the body was changed, or .* nothing more specific was found$/,
      ),
      expect.stringMatching(/^check what you pass: .* the sender must have the same/),
      expect.stringMatching(/^check that no proxy, middleware or gateway/),
    ])
    expect((await explained(request, ours, {})).likely).toEqual([])
  })

  it("the mistakes name a header of hookgate's scheme that did not arrive", async () => {
    const { headers, ...rest } = await signHmac({ secret: SECRET, body: '{}' })
    const { 'webhook-event-id': _, ...others } = headers
    expect((await explained({ ...rest, headers: others })).likely).toEqual([
      expect.stringMatching(/^No Webhook-Event-Id header: .* proxy or middleware has dropped it$/),
    ])
  })

  it("the mistakes do not take hookgate's scheme for Standard Webhooks, which shares two of its headers", async () => {
    const request = await signHmac({ secret: 'another-secret-0123456789', body: '{}' })
    const { likely, looksLike } = await explained(request, ours, {
      secret: SECRET,
      schemes: [standardWebhooks.scheme],
    })
    expect(likely[0]).toMatch(/nothing more specific was found$/)
    expect(looksLike).toBeUndefined()
  })

  it('the mistakes say nothing of a URL that the sender does not sign', async () => {
    const secrets = 'whsec_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    const withUrl = { secrets, publicUrl: 'https://example.com/webhooks' } // which its type does not list
    const auth = stripe(withUrl)
    const request = await signAs(stripe, {
      secret: 'whsec_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      body: '{"id":"evt_1"}',
    })
    const { likely } = await explained(request, defineListener({ id: 'stripe', auth, store }))
    expect(likely).toContainEqual(
      expect.stringMatching(/^check what you pass: the signing secret of the endpoint/),
    )
    expect(likely.join()).not.toMatch('publicUrl')
  })

  it('name the sender whose headers these are', async () => {
    const request = await signHmac({ secret: SECRET, body: '{}' })
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': 'sha256=00',
      'x-github-event': 'push',
    }
    const { likely, looksLike } = await explained({ ...request, headers }, ours, {
      schemes: [stripe.scheme, github.scheme],
    })
    expect(likely).toEqual([expect.stringMatching(/GitHub.*import hookgate\/schemes\/github/)])
    expect(looksLike).toBe('github')
  })

  it('name no other sender for an older signature of the same one', async () => {
    const headers = { 'x-hub-signature': 'sha1=00', 'x-github-event': 'push' }
    const auth = github({ secrets: SECRET })
    const explained = await explain(
      toDelivery({ method: 'POST', headers, body: '{}' }),
      { ok: false, reason: 'auth_missing', status: 401 },
      defineListener({ id: 'github', auth, store }),
      { schemes: [github.scheme, bitbucket.scheme] },
    )
    expect(explained.likely).toEqual([expect.stringMatching(/^X-Hub-Signature is the older signature/)])
    expect(explained.looksLike).toBeUndefined()
  })

  it.each([
    ['GitHub', [github.scheme, meta.scheme]],
    ['Meta', [meta.scheme, github.scheme]],
  ])('name the first of the senders that fit equally well: %s', async (sender, schemes) => {
    const request = await signHmac({ secret: SECRET, body: '{}' })
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': 'sha256=00' }
    const { likely } = await explained({ ...request, headers }, ours, { schemes })
    expect(likely).toEqual([expect.stringContaining(`from ${sender};`)])
  })

  it.each([
    ['svix-', 'Svix', 'svix'],
    ['webhook-', 'Standard Webhooks', 'standard-webhooks'],
  ])('name the scheme that several senders share, by its headers %s…', async (prefix, sender, name) => {
    const listener = defineListener({ id: 'github', auth: github({ secrets: SECRET }), store })
    const request = await signHmac({ secret: SECRET, body: '{}' })
    const headers = {
      'content-type': 'application/json',
      ...Object.fromEntries(['id', 'timestamp', 'signature'].map((part) => [`${prefix}${part}`, '1'])),
    }
    const schemes = [clerk, gitlabSigning, github, resend, standardWebhooks, svix].map(({ scheme }) => scheme)
    for (const given of [schemes, schemes.toReversed()]) {
      const { likely, looksLike } = await explained({ ...request, headers }, listener, { schemes: given })
      expect(likely).toEqual([
        `this looks like a delivery from ${sender}, or from a sender that signs as it does; this listener expects GitHub: import hookgate/schemes/${name}, or that sender's own scheme, or give each sender its own URL`,
      ])
      expect(looksLike).toBe(name)
    }
  })

  it.each([
    ['as well as any other', { 'svix-id': 'msg_1' }, []],
    ['less well', { 'x-hub-signature-256': 'x', 'x-github-event': 'push' }, ['GitHub']],
  ])(
    'name another sender only if it fits better, not if the expected one fits %s',
    async (_, more, names) => {
      const secret = `whsec_${btoa('k'.repeat(32))}`
      const listener = defineListener({ id: 'r', auth: resend({ secrets: secret }), store })
      const request = await signAs(resend, { secret, body: '{}' })
      const headers = { 'svix-signature': 'v1,x', ...more } // no time
      const schemes = [clerk.scheme, github.scheme, resend.scheme, svix.scheme]
      const { likely } = await explained({ ...request, headers }, listener, { schemes })
      const found = likely.flatMap((line) => /looks like a delivery from (\w+);/.exec(line)?.[1] ?? [])
      expect(found).toEqual(names)
    },
  )

  it('the mistakes take linear time for a body of line breaks', async () => {
    const body = `"${'\n'.repeat(300_000)}"` // in quadratic time, this test would hang
    const { headers, ...rest } = await signHmac({ secret: 'another-secret-0123456789', body: '{}' })
    const listener = { ...ours, auth: ours.auth }
    const { likely } = await explain(
      toDelivery({ ...rest, headers, body }),
      { ok: false, reason: 'signature_mismatch', status: 401 },
      listener,
      { secret: SECRET },
    )
    expect(likely.length).toBeGreaterThan(0)
  })
})

it('the explanation contains neither the secret nor the expected signature', async () => {
  const right = await signHmac({ secret: SECRET, body: '{}' })
  const wrong = { ...right, headers: { ...right.headers, 'webhook-signature': 'A'.repeat(43) } }
  const text = JSON.stringify(await explained(wrong))
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(right.headers['webhook-signature'])
})

it("the explanation shows a refused token's claims next to the expected ones, without its signature", async () => {
  const { privateKey, publicKey } = newKey('ES256')
  const claims = { subject: 'https://t.example', audience: 'https://t.example/hook' }
  const auth = jwt({ ...claims, keySet: localKeySet({ keys: [publicKey] }) })
  const listener = defineListener({ id: 'tokens', auth, store })
  const request = await signJwt({ ...claims, audience: 'https://t.example/other', privateKey, body: '{}' })
  const { token } = await explained(request, listener, { claims })
  expect(token[2]).toBe('aud "https://t.example/other", wanted: "https://t.example/hook"')
  expect(token.join()).not.toContain(request.headers.authorization?.split('.')[2])
})

it.each([
  [262_144, 'the sender signed timestamp eventId body'],
  [262_145, 'the body is over 256 KB'],
])('a body of %i bytes: %s, since every mistake costs a hash of it', async (length, says) => {
  const body = new TextEncoder().encode(`"${'x'.repeat(length - 2)}"`)
  const { headers } = await signHmac({ secret: SECRET, body })
  const { 'webhook-timestamp': timestamp, 'webhook-event-id': id } = headers
  const mac = createHmac('sha256', SECRET).update(`${timestamp}${id}`).update(body).digest('base64url')
  const delivery = toDelivery({ headers: { ...headers, 'webhook-signature': mac }, body, method: 'POST' })
  const outcome = { ok: false, reason: 'signature_mismatch', status: 401 } as const
  const { likely } = await explain(delivery, outcome, ours, { secret: SECRET })
  expect(likely[0]).toContain(says)
})

it.each([
  ['without the verdict', (listener: unknown) => [{}, listener]],
  ['without the listener', () => [{}, { ok: false, reason: 'auth_missing', status: 401 }]],
])('a call %s names the call to write', async (_, rest) => {
  const listener = defineListener({ id: 'a', auth: hmac({ secrets: 's'.repeat(32) }), store: memoryStore() })
  const call: unknown = Reflect.apply(explain, undefined, rest(listener))
  await expect(call).rejects.toMatchObject({ name: 'ListenerConfigError', option: 'explain' })
})
