import { describe, expect, it } from 'vitest'
import type { SenderScheme } from '../../../src/code-scheme.ts'
import { explain } from '../../../src/explain/index.ts'
import { type Delivery, defineListener, ListenerConfigError, verify } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs } from '../../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../../support/schemes.ts'
import { MISTAKES, type Mistake, type Mistaken, OTHER_VERSION, SIGNED_URL, UNKNOWN } from './mistakes.ts'
import { SENDERS, senderOf, type TriedSender } from './senders.ts'

const schemes: readonly SenderScheme[] = (await Promise.all(SCHEME_NAMES.map(schemeFactory))).map(
  ({ scheme }) => scheme,
)

/** What a user reads: the error at start, or the explanation of the refusal. */
async function linesFor(sender: TriedSender, mistaken: Mistaken): Promise<readonly string[]> {
  return (await refusalOf(sender, mistaken)).lines
}

async function refusalOf(
  sender: TriedSender,
  mistaken: Mistaken,
): Promise<{ readonly lines: readonly string[]; readonly help?: string | undefined }> {
  const { factory, privateKey, secret } = sender
  const called = new URL(SIGNED_URL)
  const request = await signAs(factory, {
    ...(privateKey ? { privateKey } : { secret: mistaken.signedSecret ?? secret }),
    body: mistaken.signedBody ?? sender.body,
    publicUrl: SIGNED_URL,
    contentType: mistaken.contentType,
  })
  const sent = { ...request.headers, ...sender.headers, host: called.host }
  const headers: { readonly [name: string]: string | undefined } = {
    ...sent,
    ...changesOf(sender, mistaken, request.headers),
  }
  const body = mistaken.body ?? request.body
  const delivery: Delivery = {
    method: 'POST',
    url: called.pathname + called.search,
    header: (name) => headers[name],
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    sourceIp: undefined,
  }
  const listener = listenerFor(sender, mistaken)
  if (typeof listener === 'string') return { lines: [listener] }
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ ok: false, status: expect.toBeOneOf([400, 401]) })
  const { likely } = await explain(delivery, verdict, listener, { schemes })
  return { lines: likely, help: verdict.ok || verdict.handshake ? undefined : verdict.help }
}

function changesOf(
  { name, factory }: TriedSender,
  { headers = {} }: Mistaken,
  sent: { readonly [name: string]: string },
): { readonly [name: string]: string | undefined } {
  if (!('*' in headers)) return headers
  return OTHER_VERSION[name]?.(sent[factory.scheme.signature.headers[0] ?? ''] ?? '') ?? {}
}

/** The listener, or why it cannot be made. */
function listenerFor(sender: TriedSender, { secret = sender.secret, publicUrl = SIGNED_URL }: Mistaken) {
  try {
    return defineListener({
      id: 'tried',
      auth: sender.auth(secret, publicUrl),
      store: memoryStore({ maxRecords: 1 }),
    })
  } catch (error) {
    if (error instanceof ListenerConfigError) return error.message
    throw error
  }
}

const cells = SENDERS.flatMap((sender) =>
  MISTAKES.map((mistake) => ({ sender, mistake, mistaken: mistake.of(sender) })),
)
const applies = cells.flatMap(({ sender, mistake, mistaken }) =>
  typeof mistaken === 'string'
    ? []
    : [{ name: sender.name, mistake: mistake.name, sender, tried: mistake, mistaken }],
)

const wordsOf = ({ says }: Mistake, sender: TriedSender) => (typeof says === 'function' ? says(sender) : says)

/** The words of all other mistakes. Two mistakes may have the same words, if they have the same fix. */
const wordsOfOthers = (tried: Mistake, sender: TriedSender) =>
  [...MISTAKES, ...UNKNOWN]
    .map((other) => wordsOf(other, sender))
    .filter(({ source }) => source !== wordsOf(tried, sender).source)

describe('the first line names the mistake and its fix', () => {
  it.each(applies)('$name: $mistake', async ({ sender, tried, mistaken }) => {
    const lines = await linesFor(sender, mistaken)
    expect(lines[0]).toMatch(wordsOf(tried, sender))
    expect(lines[0]).toMatch(tried.fix)
    expect(lines.join()).not.toContain(sender.secret)
    for (const line of lines)
      for (const words of wordsOfOthers(tried, sender)) expect(line).not.toMatch(words)
  })
})

describe('another secret and a changed body look alike', () => {
  it.each(SENDERS)('$name', async (sender) => {
    const [other, changed] = await Promise.all(
      UNKNOWN.map(async ({ of }) => {
        const mistaken = of(sender)
        return typeof mistaken === 'string' ? [] : linesFor(sender, mistaken)
      }),
    )
    expect(other).toEqual(changed)
    expect(other?.[0]).toMatch(/nothing more specific was found$/)
    expect(other?.length).toBeGreaterThanOrEqual(3)
    expect(other?.length).toBeLessThanOrEqual(4)
    for (const line of other ?? [])
      for (const mistake of MISTAKES) expect(line).not.toMatch(wordsOf(mistake, sender))
  })
})

it('a cell that does not apply says why', () => {
  const rest = cells.filter(({ mistaken }) => typeof mistaken === 'string')
  expect(applies.length + rest.length).toBe(SENDERS.length * MISTAKES.length)
  for (const { mistaken } of rest) expect(String(mistaken).length).toBeGreaterThan(15)
  for (const number of Array.from({ length: 13 }, (_, index) => index + 1)) {
    expect(applies.some(({ mistake }) => mistake.startsWith(`${number} `))).toBe(true)
  }
})

it('the verdict of a wrong signature names the page that explains it', async () => {
  const { help } = await refusalOf(senderOf('Stripe'), { secret: 'whsec_of_another_endpoint' })
  expect(help).toMatch(/^https:\S+troubleshooting\.md#a-wrong-signature$/)
})

it.each([
  [262_144, /nothing more specific was found$/],
  [262_145, /over 256 KB, so the well-known mistakes were not tried/],
])('a body of %i bytes', async (length, says) => {
  const body = `{"a":"${'x'.repeat(length - 8)}"}`
  const lines = await linesFor(senderOf('Stripe'), { secret: 'whsec_of_another_endpoint', body })
  expect(lines[0]).toMatch(says)
  expect(lines[1]).toMatch(/each endpoint has its own/)
})

it('a body shorter than its Content-Length is not the one that was sent', async () => {
  const { body } = senderOf('GitHub')
  const [first] = await linesFor(senderOf('GitHub'), {
    body: body.replace('Zoë', 'Z'),
    headers: { 'content-length': `${Buffer.byteLength(body)}` },
  })
  expect(first).toMatch(/^the body is not the one that was sent: Content-Length is \d+/)
})

it.each([
  ['Stripe', 'stripe-signature', /^No Stripe-Signature header: Stripe always sends it, so a proxy/],
  [
    'GitHub',
    'x-hub-signature-256',
    /^No X-Hub-Signature-256 header: GitHub signs only if .*; otherwise a proxy/,
  ],
])('a missing signature of %s is explained in a whole sentence', async (name, header, says) => {
  expect((await linesFor(senderOf(name), { headers: { [header]: undefined } }))[0]).toMatch(says)
})
