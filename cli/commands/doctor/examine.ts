import { readFileSync } from 'node:fs'
import { withDeadline } from '../../../src/lib/clock.ts'
import type { AnyScheme } from '../../signing/schemes.ts'
import { checkProxy, checkSignature } from './delivery.ts'
import { checkUrl, isForSender } from './endpoint-url.ts'
import { type CheckId, type Finding, notesOf } from './finding.ts'
import { checkJwks } from './jwks.ts'
import { checkLocalClock } from './local-clock.ts'
import { Prober } from './probe.ts'
import { ReceiverProbe } from './receiver.ts'
import { checkReceiverClock } from './receiver-clock.ts'
import { checkRuntime } from './runtime.ts'
import { checkSecretShape } from './secret-shape.ts'
import { checkSender } from './sender-signature.ts'
import { checkStore } from './store.ts'

const DEADLINE_MS = 7000
/** Of the checks that follow `url`, so that a slow receiver cannot take its finding along. */
const REST_MS = 6000

/** The options of the command line. */
export interface Setup {
  readonly secretFiles: readonly string[]
  readonly store: string | undefined
  readonly jwks: URL | string | undefined
  readonly url: URL | undefined
  readonly publicUrl: URL | undefined
  readonly tenantUrl: URL | undefined
  readonly eventId: string | undefined
  /** The sender of the listener at `url`. */
  readonly scheme: AnyScheme | undefined
  /** The listener reads no Webhook-* headers. */
  readonly isForAnotherSender: boolean
  readonly isOffline: boolean
}

const OF_THE_URL = ['clock.receiver', 'proxy', 'signature'] as const

/** Runs all checks concurrently, within 9 s. Returns the findings in the order of docs/doctor.md. */
export async function examine(setup: Setup): Promise<Finding[]> {
  const prober = new Prober()
  try {
    const found = await Promise.all([
      within('runtime', checkRuntime()),
      within('secret.shape', checkSecretShape(setup.secretFiles, setup.isForAnotherSender)),
      within(
        'clock.local',
        unlessOffline('clock.local', setup, () => localClock(prober, setup)),
      ),
      within('store', checkStore(setup.store, setup.isOffline)),
      within('jwks', jwks(prober, setup)),
      within(
        'url',
        unlessOffline('url', setup, () => endpoint(prober, setup)),
        DEADLINE_MS + REST_MS,
      ),
    ])
    return found.flat()
  } finally {
    prober.close()
  }
}

/** Reports a check that throws, or takes too long, as skipped. */
async function within(
  id: CheckId,
  work: Promise<Finding[]>,
  deadlineMs: number = DEADLINE_MS,
): Promise<Finding[]> {
  const late = () => new Error('late')
  return await withDeadline(work, deadlineMs, late).catch((error: Error) => [
    notesOf(id).skip(
      `could not be checked (${error.message === 'late' ? 'no answer in time' : error.name})`,
      'try again',
    ),
  ])
}

async function unlessOffline(id: CheckId, { isOffline }: Setup, check: () => Promise<Finding[]>) {
  if (!isOffline) return await check()
  const ids = id === 'url' ? [id, ...OF_THE_URL] : [id]
  return ids.map((each) => notesOf(each).skip('needs the network', 'remove --offline'))
}

const localClock = (prober: Prober, { url, jwks }: Setup) =>
  checkLocalClock(prober, jwks instanceof URL ? jwks : url)

const jwks = (prober: Prober, setup: Setup) =>
  setup.jwks instanceof URL
    ? unlessOffline('jwks', setup, () => checkJwks(prober, setup.jwks))
    : checkJwks(prober, setup.jwks)

/** Checks the URL first: the other checks need hookgate to answer there. */
async function endpoint(prober: Prober, setup: Setup): Promise<Finding[]> {
  const { url, eventId } = setup
  if (url === undefined) {
    return ['url' as const, ...OF_THE_URL].map((id) =>
      notesOf(id).skip('no endpoint was given', 'give --url URL'),
    )
  }
  const receiver = new ReceiverProbe(url, prober)
  const { findings, obstacle } = await checkUrl(receiver, setup)
  if (isForSender(obstacle) && setup.scheme)
    return [...findings, ...(await sender(receiver, setup, setup.scheme))]
  if (obstacle) return [...findings, ...OF_THE_URL.map((id) => notesOf(id).skip(...obstacle))]
  const rest = await Promise.all([
    within('clock.receiver', checkReceiverClock(receiver), REST_MS),
    within('proxy', checkProxy(receiver), REST_MS),
    within('signature', checkSignature(receiver, secretOf(setup), eventId), REST_MS),
  ])
  return [...findings, ...rest.flat()]
}

/** The same three checks of another sender's listener. */
const sender = (receiver: ReceiverProbe, setup: Setup, scheme: AnyScheme) =>
  within(
    'signature',
    checkSender(receiver, scheme, secretOf(setup), setup.publicUrl ?? receiver.url),
    REST_MS,
  )

/** `secret.shape` reports what is wrong with it. */
function secretOf({ secretFiles: [file] }: Setup): string | undefined {
  if (file === undefined) return process.env.HOOKGATE_SECRET || undefined
  try {
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') || undefined
  } catch {
    return undefined
  }
}
