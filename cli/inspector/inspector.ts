import type { IncomingMessage, Server } from 'node:http'
import { checkOutcomes } from '../../src/explain/index.ts'
import type { Listener } from '../../src/index.ts'
import type { DeliveryReport } from '../listen/report.ts'
import { apiOf, type Board } from './api.ts'
import { explainerFor, outcomeOf } from './explaining.ts'
import type { Inspected } from './inspected.ts'
import { Live } from './live.ts'
import { masked, maskFor } from './mask.ts'
import { observe } from './observe.ts'
import { openPage } from './open-page.ts'
import type { InspectorPlan } from './plan.ts'
import { Kept } from './recent.ts'
import { toRecord } from './record.ts'
import { openRecordFile } from './record-file.ts'
import { Replays } from './replays.ts'
import { serveUi } from './ui-server.ts'
import { rowOf } from './views.ts'
import type { Watched } from './watched.ts'

export interface Inspector {
  /** Where the page is. Undefined with `--record` alone. */
  readonly url: string | undefined
  /** Records a finished delivery. */
  tell(report: DeliveryReport): void
  close(): Promise<void>
}

/** @throws UsageError if the record cannot be written. RefusedError if no port can be opened. */
export async function openInspector(plan: InspectorPlan, watched: Watched): Promise<Inspector> {
  const { server, listener, url, resigner } = watched
  const mask = maskFor(watched.secrets, listener.auth.sender?.scheme.signature?.headers ?? [])
  const [kept, live, replays] = [new Kept(plan.keep, plan.loaded), new Live(), new Replays()]
  const record = plan.record === undefined ? undefined : await openRecordFile(plan.record)
  const explain = explainerFor(listener, watched.known)
  const send: Board['send'] = (request, origin) => replays.send(url, request, origin)
  const ui =
    plan.port === undefined
      ? undefined
      : await serveUi(plan.port, apiOf({ url, kept, live, mask, resigner, explain, send }))
  if (ui !== undefined && plan.open) openPage(ui.url)
  const origins = originsOf(server, replays)
  let seq = plan.loaded.length
  return {
    url: ui?.url,
    tell(report) {
      seq += 1
      const observed = observe(report, seq, origins.get(report.request) ?? null)
      record?.write(recordOf(observed.inspect(), listener))
      if (ui === undefined) return
      kept.add(observed)
      live.tell(() => rowOf(masked(observed.inspect(), mask)))
    },
    async close() {
      live.close()
      await Promise.all([ui?.close(), record?.close()])
    },
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
