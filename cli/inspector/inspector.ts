import type { IncomingMessage, Server } from 'node:http'
import { checkOutcomes, explain } from '../../src/explain/index.ts'
import type { Listener } from '../../src/index.ts'
import type { ListenAuth } from '../listen/auth.ts'
import { knownOf, schemesFor } from '../listen/explanations.ts'
import type { AuthValues } from '../listen/options.ts'
import type { DeliveryReport } from '../listen/report.ts'
import { apiOf, type Board } from './api.ts'
import { asDelivery, type Inspected, observe, outcomeOf } from './inspected.ts'
import { Live } from './live.ts'
import { masked, maskFor } from './mask.ts'
import { openPage } from './open-page.ts'
import type { InspectorSettings, InspectorValues } from './options.ts'
import { RecentDeliveries } from './recent.ts'
import { openRecordFile, toRecord } from './record.ts'
import { Replays } from './replays.ts'
import { resignerFor } from './resigner.ts'
import { serveUi } from './ui-server.ts'
import { rowOf } from './views.ts'

/** What `listen` has when it opens the inspector. */
export interface Listening {
  readonly given: AuthValues & InspectorValues
  readonly auth: ListenAuth
  readonly server: Server
  readonly listener: Listener<unknown>
  /** The listener's own URL. */
  readonly url: string
}

export interface Inspector {
  /** Where the page is. Undefined with `--record` alone. */
  readonly url: string | undefined
  /** Records a finished delivery. */
  tell(report: DeliveryReport): void
  close(): Promise<void>
}

/**
 * @throws UsageError if the record cannot be written, or if `--key` is not a private JWK. RefusedError if no port can be
 * opened.
 */
export async function openInspector(settings: InspectorSettings, listening: Listening): Promise<Inspector> {
  const { given, auth, server, listener, url } = listening
  const { secret } = auth
  const resigner = await resignerFor(given, { secret, url, dedupe: listener.auth.protocol?.dedupe })
  const mask = maskFor(
    secret === undefined ? [] : [secret, secret.replace(/^whsec_/, '')],
    listener.auth.protocol?.scheme.signature?.headers ?? [],
  )
  const recent = new RecentDeliveries(settings.keep, settings.loaded)
  const [live, replays] = [new Live(), new Replays()]
  const record = settings.record === undefined ? undefined : await openRecordFile(settings.record)
  const explainOne = explainerFor(listening)
  const send: Board['send'] = (request, origin) => replays.send(url, request, origin)
  const ui =
    settings.port === undefined
      ? undefined
      : await serveUi(settings.port, apiOf({ url, recent, live, mask, resigner, explain: explainOne, send }))
  if (ui !== undefined && settings.open) openPage(ui.url)
  const origins = originsOf(server, replays)
  let seq = settings.loaded.length
  return {
    url: ui?.url,
    tell(report) {
      seq += 1
      const observed = observe(report, seq, origins.get(report.request) ?? null)
      record?.write(recordOf(observed.inspect(), listener))
      if (ui === undefined) return
      recent.add(observed)
      live.tell(() => rowOf(masked(observed.inspect(), mask)))
    },
    async close() {
      live.close()
      await Promise.all([ui?.close(), record?.close()])
    },
  }
}

/** Explains deliveries with this run's listener and secret, even if an earlier run recorded them. */
function explainerFor(listening: Listening): Board['explain'] {
  const { listener } = listening
  const known = knownOf(listening)
  return async (delivery) => {
    const schemes = await schemesFor(delivery.reason)
    return explain(asDelivery(delivery), outcomeOf(delivery), listener, { ...known, schemes })
  }
}

function recordOf(delivery: Inspected, listener: Listener<unknown>): string {
  return toRecord(delivery, checkOutcomes(outcomeOf(delivery), listener))
}

/** Looks up origins while the connection is open, because its port is unknown afterwards. */
function originsOf(server: Server, replays: Replays): WeakMap<IncomingMessage, number> {
  const origins = new WeakMap<IncomingMessage, number>()
  server.prependListener('request', (request: IncomingMessage) => {
    if (replays.isIdle) return
    const origin = replays.originOf(request.socket)
    if (origin !== null) origins.set(request, origin)
  })
  return origins
}
