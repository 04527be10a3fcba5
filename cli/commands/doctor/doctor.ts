import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT, UsageError } from '../../command-line/exit.ts'
import { paint, print, printable, toJsonLine } from '../../command-line/output.ts'
import { httpUrl, refuseStray } from '../../command-line/values.ts'
import { loadScheme } from '../../signing/schemes.ts'
import { API_CHECK_OPTIONS, checkApi } from './api.ts'
import { checkProxy, checkSignature } from './delivery.ts'
import { checkUrl } from './endpoint-url.ts'
import { type Finding, skip, skipped, type UrlFindings, within } from './finding.ts'
import { checkJwks } from './jwks.ts'
import { mentionLease } from './lease.ts'
import { checkLocalClock } from './local-clock.ts'
import { checkReceiverClock } from './receiver-clock.ts'
import { checkRuntime } from './runtime.ts'
import { checkSecretShape, readSecret } from './secret-shape.ts'
import { checkSender } from './sender-signature.ts'
import { checkStore } from './store.ts'

const DEADLINE_MS = 7000
/** Deadline of the checks that follow `url`. Shorter, so that a slow receiver does not cost the finding of `url`. */
const REST_MS = 6000
/** How long a pending DNS lookup may keep the process alive. It cannot be cancelled. */
const LAST_MS = 500

const OPTIONS = {
  'secret-file': { value: 'FILE', many: true, says: 'A file with a secret (default: HOOKGATE_SECRET)' },
  store: {
    value: 'URL',
    says: 'The store: redis://, postgres://, mysql:// or sqlite: (default: HOOKGATE_STORE)',
  },
  'store-table': { value: 'NAME', says: 'Its table, or its prefix in Redis (default: looks for tables)' },
  'store-writer': {
    value: 'ROLE',
    many: true,
    says: 'Another role that may write to its tables; repeatable',
  },
  jwks: { value: 'URL', says: "The sender's key set: a URL or a file" },
  'tenant-url': { value: 'URL', says: "The tenant's base URL, exactly as in the token's sub" },
  'public-url': {
    value: 'URL',
    says: "The URL that the sender calls, if a token's aud names it or the sender signs it",
  },
  url: { value: 'URL', says: 'Your endpoint, as senders call it' },
  scheme: { value: 'NAME', says: 'The sender of --url: stripe, github, slack, …' },
  'event-id': { value: 'ID', says: 'Check the secret with this event, which --url has accepted' },
  api: { says: "Ask the sender's API what it has registered for --url, and nothing else" },
  ...API_CHECK_OPTIONS,
  offline: { says: 'Skip every check that needs the network' },
  json: { says: 'Print one line of JSON: ok, findings of id, status, seen, fix' },
} satisfies OptionRows

export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'find problems in your setup, and say how to fix them',
  meant: '--url URL, --scheme NAME, --secret-file FILE',
  options: OPTIONS,
  common: ['scheme', 'secret-file', 'url', 'store', 'offline', 'api', 'json'],
  groups: {
    'With --store': ['store-table', 'store-writer'],
    JWT: ['jwks', 'tenant-url', 'public-url'],
    'With --api': Object.keys(API_CHECK_OPTIONS),
  },
  notes: [
    'Changes nothing, and prints no secret. Exits with 1 if a check fails or nothing could be checked, and with 0 if it only warns.',
    'Deliveries to --url have a wrong signature, so no handler runs. --event-id adds one that is signed correctly: give the ID of an event that --url has accepted, or its handler runs.',
    "--api only reads. It compares your secret with the sender's, if its API shows it: Linear, Paddle, Resend, Square, Svix. Run it regularly: its exit code is an alarm, and it rings even if nothing arrives any more.",
  ],
  examples: [
    'hookgate doctor --scheme stripe --secret-file whsec.txt --url https://example.com/webhooks/stripe',
    'hookgate doctor --scheme github --secret-file secret.txt',
    'hookgate doctor --store redis://localhost --json',
    'hookgate doctor --api --scheme stripe --url https://example.com/webhooks/stripe --types invoice.paid,customer.*',
  ],
  async run(given) {
    const findings = given.api ? await askApi(given) : await examine(await readSetup(given))
    const isChecked = findings.some(({ id, status }) => id !== 'runtime' && status !== 'skip')
    const isWrong = findings.some(({ status }) => status === 'fail')
    const code = isChecked && !isWrong ? EXIT.done : EXIT.refused
    if (given.json) print(toJsonLine({ ok: code === EXIT.done, findings }))
    else show(findings)
    if (!given.api) setTimeout(() => process.exit(code), LAST_MS).unref()
    return code
  },
})

type Given = ValuesOf<typeof OPTIONS>

const OF_API = ['types', 'api-version', 'of', 'mode', 'token-file'] as const
const NOT_OF_API = [
  ...(['store', 'store-table', 'store-writer', 'jwks', 'tenant-url'] as const),
  ...(['public-url', 'event-id', 'offline'] as const),
]

async function askApi(given: Given): Promise<readonly Named[]> {
  refuseStray(given, NOT_OF_API, 'is not for --api')
  return checkApi(given)
}

const NOTHING_GIVEN =
  'needs something to check: --url URL (your endpoint), --secret-file FILE or HOOKGATE_SECRET, --store URL or HOOKGATE_STORE, or --jwks URL; for Stripe, GitHub and other senders add --scheme NAME'

/** @throws UsageError if nothing is given, or if an option would change nothing. */
async function readSetup(given: Given) {
  refuseStray(given, OF_API, 'needs --api')
  const scheme = given.scheme === undefined ? undefined : await loadScheme(given.scheme)
  const { HOOKGATE_SECRET: secret, HOOKGATE_STORE: store } = process.env
  const subjects = [given.url, given['secret-file'], given.store, given.jwks, secret, store]
  if (subjects.every((subject) => subject === undefined)) throw new UsageError(NOTHING_GIVEN)
  if (given.url === undefined) refuseStray(given, ['event-id', 'public-url', 'tenant-url'], 'needs --url URL')
  if ((given.store ?? store) === undefined)
    refuseStray(given, ['store-table', 'store-writer'], 'needs --store URL or HOOKGATE_STORE')
  const urlOf = (option: 'jwks' | 'url' | 'public-url' | 'tenant-url') => {
    const text = given[option]
    return text === undefined ? undefined : httpUrl(`--${option}`, text)
  }
  return {
    scheme,
    secretFiles: given['secret-file'] ?? [],
    store: given.store ?? store,
    storeTables: { table: given['store-table'], writers: given['store-writer'] },
    jwks: /^https?:/i.test(given.jwks ?? '') ? urlOf('jwks') : given.jwks,
    url: urlOf('url'),
    publicUrl: urlOf('public-url'),
    tenantUrl: urlOf('tenant-url'),
    eventId: given['event-id'],
    isOffline: given.offline ?? false,
  }
}

type Setup = Awaited<ReturnType<typeof readSetup>>

interface Check {
  /** As docs/doctor.md calls it. */
  readonly id: string
  ask(setup: Setup): Promise<readonly Finding[]>
}

const OFFLINE = ['needs the network', 'remove --offline'] as const

/** The checks, in the order of docs/doctor.md. Those of `--url` come after them. */
const CHECKS: readonly Check[] = [
  { id: 'runtime', ask: () => checkRuntime() },
  { id: 'secret.shape', ask: ({ secretFiles, scheme }) => checkSecretShape(secretFiles, scheme) },
  {
    id: 'clock.local',
    ask: async ({ isOffline, jwks, url }) =>
      isOffline ? skipOne(...OFFLINE) : checkLocalClock(jwks instanceof URL ? jwks : url),
  },
  {
    id: 'store',
    ask: async ({ store, isOffline, storeTables, scheme }) => [
      ...(await checkStore(store, isOffline, storeTables)),
      ...(store === undefined ? [] : mentionLease(scheme)),
    ],
  },
  {
    id: 'jwks',
    ask: async ({ isOffline, jwks }) =>
      isOffline && jwks instanceof URL ? skipOne(...OFFLINE) : checkJwks(jwks),
  },
]

type Named = Finding & Pick<Check, 'id'>

const named = (id: string, findings: readonly Finding[]): readonly Named[] =>
  findings.map((finding) => ({ id, ...finding }))

/** Runs all checks concurrently, within 9 s. */
async function examine(setup: Setup): Promise<readonly Named[]> {
  const found = CHECKS.map(async ({ id, ask }) => named(id, await within(DEADLINE_MS, ask(setup), skipOne)))
  return (await Promise.all([...found, examineUrl(setup)])).flat()
}

/** Checks `--url`. */
async function examineUrl(setup: Setup): Promise<readonly Named[]> {
  const { url, isOffline } = setup
  if (isOffline) return inOrder(skipUrl(...OFFLINE))
  if (url === undefined) return inOrder(skipUrl('no endpoint was given', 'give --url URL'))
  return inOrder(await within(DEADLINE_MS + REST_MS, checkEndpoint(url, setup), skipUrl))
}

const inOrder = (found: object) =>
  Object.entries(found).flatMap(([id, findings]: [string, readonly Finding[]]) => named(id, findings))

const skipUrl = (seen: string, fix: string) => ({ url: [skip(seen, fix)], ...skipped(seen, fix) })

/** Checks the URL first: the other checks need hookgate to answer there. */
async function checkEndpoint(url: URL, setup: Setup) {
  const { findings, listensTo } = await checkUrl(url, setup)
  return { url: findings, ...(await checkDeliveries(url, listensTo, setup)) }
}

async function checkDeliveries(
  url: URL,
  listensTo: 'hookgate' | 'sender' | undefined,
  setup: Setup,
): Promise<UrlFindings> {
  const { scheme, publicUrl = url, eventId } = setup
  const secret = secretOf(setup)
  if (listensTo === undefined) return skipped('hookgate does not answer at --url', 'fix url first')
  if (listensTo === 'sender') {
    if (scheme) return within(REST_MS, checkSender(url, scheme, secret, publicUrl), skipped)
    return skipped('the listener is for another sender', 'give its sender, such as --scheme stripe')
  }
  const [clock, proxy, signature] = await Promise.all([
    within(REST_MS, checkReceiverClock(url), skipOne),
    within(REST_MS, checkProxy(url), skipOne),
    within(REST_MS, checkSignature(url, secret, eventId), skipOne),
  ])
  return { 'clock.receiver': clock, proxy, signature }
}

const skipOne = (seen: string, fix: string) => [skip(seen, fix)]

/** The secret that signs. `secret.shape` reports what is wrong with it. */
function secretOf({ secretFiles: [file] }: Setup): string | undefined {
  const secret = file === undefined ? { text: process.env.HOOKGATE_SECRET } : readSecret(file)
  return ('text' in secret && secret.text) || undefined
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function show(findings: readonly Named[]): void {
  const skipped = new Map<string, Set<string>>()
  for (const { id, status, seen, fix } of findings) {
    if (status === 'skip') {
      const why = fix === undefined ? seen : `${seen} → ${fix}`
      skipped.set(why, (skipped.get(why) ?? new Set()).add(id))
      continue
    }
    print(`${paint(COLOURS[status], status.padEnd(4))}  ${id.padEnd(14)}  ${printable(seen)}`)
    if (fix !== undefined) print(`${' '.repeat(22)}→ ${printable(fix)}`)
  }
  if (skipped.size > 0) print('\nNot checked:')
  for (const [why, ids] of skipped) print(`  ${[...ids].join(', ')}: ${printable(why)}`)
}
