import { type EventStore, EventStoreError } from '../../src/index.ts'
import { withDeadline } from '../../src/lib/clock.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isA } from '../../src/lib/member-of.ts'
import { RefusedError } from '../command-line/exit.ts'
import { messageOf, printable, remark } from '../command-line/output.ts'
import { InFlight } from '../lib/in-flight.ts'
import { type OpenStore, openClient, reasonOf } from '../store/clients.ts'
import { parseStoreUrl, type StoreUrl } from '../store/url.ts'

const START_MS = 5000
const SWEEP_MS = 30_000
const PARTING_MS = 3000

export interface ListenStore {
  readonly store: EventStore
  /** How to print the store, without credentials. Undefined for the memory store. */
  readonly shown: string | undefined
  /** Why a delivery was left undecided, without any secret. */
  explain(error: unknown): string
  /** Waits for calls in flight, then closes the client. */
  close(): Promise<void>
}

/**
 * Opens the store that `--store` names, creates its table if it needs one, and prints what `check()` finds to standard error.
 *
 * @throws UsageError if the URL names no store. RefusedError if the store cannot be reached. Neither quotes a secret.
 */
export async function openStore(text: string): Promise<ListenStore> {
  const url = parseStoreUrl(text)
  let opened: OpenStore | undefined
  try {
    opened = await openClient(url.engine, url.target)
    await withDeadline(prepare(opened, url), START_MS, () => new Error(`no answer in ${START_MS / 1000} s`))
  } catch (error) {
    // Not awaited: a client that cannot connect may not close either.
    callHook(() => opened?.close())
    const reason = reasonOf(opened?.complaint?.() ?? error, url)
    throw new RefusedError(`--store ${url.shown}: ${reason}${fixFor(error, url)}`)
  }
  const inFlight = new InFlight()
  const { sweep } = opened.store
  const sweeping = sweep && setInterval(() => callHook(() => sweep.call(opened.store)), SWEEP_MS)
  return {
    store: tracked(opened.store, inFlight),
    shown: url.shown,
    explain(error) {
      if (!isA(error, EventStoreError)) return messageOf(error)
      const reason = reasonOf(opened.complaint?.() ?? error, url)
      return reason === messageOf(error) ? reason : `${messageOf(error)}: ${reason}`
    },
    async close() {
      clearInterval(sweeping)
      const parting = inFlight.settled().then(() => opened.close())
      await withDeadline(parting, PARTING_MS, () => new Error('the store did not close')).catch(() => {})
    },
  }
}

/** Counts each call as in flight: a response may be sent before its commit. */
export function tracked(store: EventStore, inFlight: InFlight): EventStore {
  const { replayWindowSeconds } = store
  return {
    ...(replayWindowSeconds !== undefined && { replayWindowSeconds }),
    claim: (...given) => inFlight.add(async () => store.claim(...given)),
    commit: (...given) => inFlight.add(async () => store.commit(...given)),
    release: (...given) => inFlight.add(async () => store.release(...given)),
    ...(store.renew && { renew: (...given) => inFlight.add(async () => store.renew?.(...given) ?? false) }),
  }
}

async function prepare({ store }: OpenStore, url: StoreUrl): Promise<void> {
  await store.migrate?.()
  await store.sweep?.()
  for (const { problem, fix } of await store.check()) {
    remark(`hookgate: ${url.shown}: ${printable(problem)}. Fix: ${printable(fix)}`)
  }
}

/** The error of a missing client names its own fix. */
function fixFor(error: unknown, { engine }: StoreUrl): string {
  if (isA(error, RefusedError)) return ''
  if (engine === 'sqlite') return '; check the path, and its permissions'
  return '; start the store, or correct its host, port, user and password'
}
