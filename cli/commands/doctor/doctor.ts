import { withDeadline } from '../../../src/lib/clock.ts'
import { textOf } from '../../../src/lib/member-of.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { paint, print, printable, toJsonLine } from '../../command-line/output.ts'
import { httpUrl } from '../../command-line/values.ts'
import { loadScheme } from '../../signing/schemes.ts'
import { checkProxy, checkSignature } from './delivery.ts'
import { checkUrl, isForSender } from './endpoint-url.ts'
import { type CheckId, type Finding, notesOf, OF_THE_URL, skipAll } from './finding.ts'
import { checkJwks } from './jwks.ts'
import { checkLocalClock } from './local-clock.ts'
import { checkReceiverClock } from './receiver-clock.ts'
import { checkRuntime } from './runtime.ts'
import { checkSecretShape, readSecret } from './secret-shape.ts'
import { checkSender } from './sender-signature.ts'
import { checkStore } from './store.ts'

const DEADLINE_MS = 7000
/** Of the checks that follow `url`, so that a slow receiver cannot take its finding along. */
const REST_MS = 6000
/** How long a pending DNS lookup may keep the process alive. It cannot be cancelled. */
const LAST_MS = 500

const OPTIONS = {
  'secret-file': { value: 'FILE', many: true, says: 'A file with a secret (default: HOOKGATE_SECRET)' },
  store: { value: 'URL', says: 'redis://, postgres:// or sqlite: (default: HOOKGATE_STORE)' },
  jwks: { value: 'URL', says: "The sender's key set: a URL or a file" },
  'tenant-url': { value: 'URL', says: 'JWT: the subject of your listener' },
  'public-url': { value: 'URL', says: 'JWT: the audience of your listener' },
  url: { value: 'URL', says: 'Your endpoint, as senders call it' },
  scheme: { value: 'NAME', says: 'The sender of --url, such as slack: checks the secret as it signs' },
  'event-id': { value: 'ID', says: 'An event that --url has accepted: checks the secret' },
  offline: { says: 'Skip every check that needs the network.' },
  json: { says: 'Print one line of JSON: ok, findings of id, status, seen, fix.' },
} satisfies OptionRows

export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'find problems in your setup, and say how to fix them',
  meant: '--url URL, --scheme NAME',
  options: OPTIONS,
  notes: [
    'Changes nothing, and prints no secret. Exits with 1 if a check fails, and with 0 if it only warns.',
    'Deliveries to --url have a wrong signature, so no handler runs. --event-id adds one that is signed',
    'correctly: give the ID of an event that --url has accepted, or its handler runs.',
  ],
  examples: [
    'hookgate doctor --url https://example.com/webhooks/orders --secret-file secret.txt',
    'hookgate doctor --store redis://localhost --jwks https://sender.example/jwks.json --json',
  ],
  async run(given) {
    const findings = await examine(await readSetup(given))
    const code = findings.some(({ status }) => status === 'fail') ? EXIT.refused : EXIT.done
    if (given.json) print(toJsonLine({ ok: code === EXIT.done, findings }))
    else show(findings)
    setTimeout(() => process.exit(code), LAST_MS).unref()
    return code
  },
})

async function readSetup(given: ValuesOf<typeof OPTIONS>) {
  const urlOf = (option: 'jwks' | 'url' | 'public-url' | 'tenant-url') => {
    const text = given[option]
    return text === undefined ? undefined : httpUrl(`--${option}`, text)
  }
  return {
    scheme: given.scheme === undefined ? undefined : await loadScheme(given.scheme),
    secretFiles: given['secret-file'] ?? [],
    store: given.store ?? process.env.HOOKGATE_STORE,
    jwks: /^https?:/i.test(given.jwks ?? '') ? urlOf('jwks') : given.jwks,
    url: urlOf('url'),
    publicUrl: urlOf('public-url'),
    tenantUrl: urlOf('tenant-url'),
    eventId: given['event-id'],
    isOffline: given.offline ?? false,
  }
}

type Setup = Awaited<ReturnType<typeof readSetup>>

/** Runs all checks concurrently, within 9 s. Returns the findings in the order of docs/doctor.md. */
async function examine(setup: Setup): Promise<Finding[]> {
  const { scheme, secretFiles, store, jwks, url, isOffline } = setup
  const online = async (ids: readonly CheckId[], check: () => Promise<Finding[]>) =>
    isOffline ? skipAll(ids, 'needs the network', 'remove --offline') : await check()
  const found = await Promise.all([
    within('runtime', checkRuntime()),
    within('secret.shape', checkSecretShape(secretFiles, scheme)),
    within(
      'clock.local',
      online(['clock.local'], () => checkLocalClock(jwks instanceof URL ? jwks : url)),
    ),
    within('store', checkStore(store, isOffline)),
    within('jwks', jwks instanceof URL ? online(['jwks'], () => checkJwks(jwks)) : checkJwks(jwks)),
    within(
      'url',
      online(['url', ...OF_THE_URL], () => checkEndpoint(setup)),
      DEADLINE_MS + REST_MS,
    ),
  ])
  return found.flat()
}

/** Reports a check that throws, or takes too long, as skipped. */
async function within(
  id: CheckId,
  work: Promise<Finding[]>,
  deadlineMs: number = DEADLINE_MS,
): Promise<Finding[]> {
  const late = () => new Error('late')
  return await withDeadline(work, deadlineMs, late).catch((error: unknown) => [
    notesOf(id).skip(
      `could not be checked (${textOf(error, 'message') === 'late' ? 'no answer in time' : textOf(error, 'name')})`,
      'try again',
    ),
  ])
}

/** Checks the URL first: the other checks need hookgate to answer there. */
async function checkEndpoint(setup: Setup): Promise<Finding[]> {
  const { url, scheme, publicUrl = url, eventId } = setup
  if (url === undefined || publicUrl === undefined)
    return skipAll(['url', ...OF_THE_URL], 'no endpoint was given', 'give --url URL')
  const { findings, obstacle } = await checkUrl(url, setup)
  const secret = secretOf(setup)
  if (isForSender(obstacle) && scheme) {
    const ofSender = checkSender(url, scheme, secret, publicUrl)
    return [...findings, ...(await within('signature', ofSender, REST_MS))]
  }
  if (obstacle) return [...findings, ...skipAll(OF_THE_URL, ...obstacle)]
  const rest = await Promise.all([
    within('clock.receiver', checkReceiverClock(url), REST_MS),
    within('proxy', checkProxy(url), REST_MS),
    within('signature', checkSignature(url, secret, eventId), REST_MS),
  ])
  return [...findings, ...rest.flat()]
}

/** The secret that signs. `secret.shape` reports what is wrong with it. */
function secretOf({ secretFiles: [file] }: Setup): string | undefined {
  const secret = file === undefined ? { text: process.env.HOOKGATE_SECRET } : readSecret(file)
  return ('text' in secret && secret.text) || undefined
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function show(findings: readonly Finding[]): void {
  for (const { id, status, seen, fix } of findings) {
    const mark = status === 'skip' ? status : paint(COLOURS[status], status.padEnd(4))
    print(`${mark}  ${id.padEnd(14)}  ${printable(seen)}`)
    if (fix !== undefined) print(`${' '.repeat(22)}→ ${printable(fix)}`)
  }
  const skipped = [...new Set(findings.filter(({ status }) => status === 'skip').map(({ id }) => id))]
  if (skipped.length > 0) print(`\nNot checked: ${skipped.join(', ')}.`)
}
