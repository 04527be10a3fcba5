import type { IncomingMessage, Server } from 'node:http'
import { checkOutcomes } from '../../src/explain/check-outcomes.ts'
import { explain } from '../../src/explain/index.ts'
import { maySignQuery } from '../../src/schemes/kit/compile-scheme.ts'
import { rowsOf } from '../../src/schemes/kit/header-families.ts'
import { withQueryOf } from '../../src/schemes/kit/signed-url.ts'
import type { Forwarding } from '../forward/forward-options.ts'
import { knownOf, type Listening, schemesFor } from '../listen/explanations.ts'
import type { DeliveryReport, Rerun } from '../listen/report.ts'
import { apiOf, type Board } from './api.ts'
import { asDelivery, loggedVerdict, observe } from './inspected.ts'
import { Live } from './live.ts'
import { masked, maskFor } from './mask.ts'
import { openPage } from './open-page.ts'
import type { InspectorSettings, InspectorValues } from './options.ts'
import { RecentDeliveries } from './recent.ts'
import { openRecordFile, toRecord } from './record.ts'
import { type OpenReplay, Replays } from './replays.ts'
import { resignerFor } from './resigner.ts'
import { serveUi } from './ui-server.ts'
import { rowOf } from './views.ts'

interface InspectorContext extends Listening {
  readonly given: Listening['given'] & InspectorValues & { readonly path?: string }
  readonly server: Server
  /** The `send` command to try. */
  readonly command: string | undefined
  readonly forwarding: Pick<Forwarding, 'secret'> | undefined
}

export interface Inspector {
  /** Where the page is. Undefined with `--record` alone. */
  readonly url: string | undefined
  /** Defined for the requests by which the page runs an event again. */
  rerunOf(request: IncomingMessage): Rerun | undefined
  /** Shows and records a finished delivery. */
  add(report: DeliveryReport): void
  close(): Promise<void>
}

/**
 * @throws UsageError if the record cannot be written, or if `--key` is not a private JWK. RefusedError if no port can be
 * opened.
 */
export async function openInspector(
  settings: InspectorSettings,
  listening: InspectorContext,
): Promise<Inspector> {
  const { given, auth, server, listener, url, command, forwarding } = listening
  const { secret } = auth
  const resigner = await resignerFor(given, { secret, url })
  const { scheme } = listener.protocol
  const rows = scheme ? rowsOf(scheme) : []
  const { verifyToken, brought = [] } = auth
  const secrets = [secret, verifyToken, forwarding?.secret].filter((each) => each !== undefined)
  const mask = maskFor(
    { [Symbol.iterator]: () => [...secrets, ...brought].values() }, // senders bring more
    rows.flatMap(({ signature }) => signature.headers),
    rows.flatMap(({ eventId }) => (eventId && 'header' in eventId ? [eventId.header.toLowerCase()] : [])),
  )
  const recent = new RecentDeliveries(settings.keep, settings.loaded)
  const [live, replays] = [new Live(), new Replays()]
  const record = settings.record === undefined ? undefined : await openRecordFile(settings.record)
  const explained = knownOf(listening)
  // With this run's listener and secret, even if an earlier run recorded the delivery.
  const explainOne: Board['explain'] = async (delivery) => {
    const schemes = await schemesFor(delivery.reason)
    return explain(asDelivery(delivery), loggedVerdict(delivery), listener, { ...explained, schemes })
  }
  const signedUrl = withQueryOf(url, given['public-url'] ?? '')
  const urlOf: Board['urlOf'] = ({ path }) =>
    scheme && maySignQuery(scheme) ? withQueryOf(signedUrl, path) : url
  const send: Board['send'] = (...replay) => replays.send(...replay)
  const ui =
    settings.port === undefined
      ? undefined
      : await serveUi(
          settings.port,
          apiOf({
            url,
            isAnyPath: given.path === undefined,
            listener,
            recent,
            live,
            mask,
            resigner,
            explain: explainOne,
            urlOf,
            send,
            keep: settings.keep,
            command,
            hasApp: forwarding !== undefined,
            auth,
          }),
        )
  if (ui !== undefined && settings.open) openPage(ui.url)
  const origins = originsOf(server, replays)
  let seq = settings.loaded.length
  return {
    url: ui?.url,
    rerunOf: (request) => origins.get(request)?.rerun,
    add(report) {
      seq += 1
      const replay = origins.get(report.request)
      const observed = observe(report, seq, replay?.origin ?? null)
      if (record !== undefined) {
        const delivery = observed.inspect()
        record.write(toRecord(delivery, checkOutcomes(loggedVerdict(delivery), listener)))
      }
      if (ui === undefined) return
      recent.add(observed)
      replay?.resolve(observed.inspect())
      live.push(() => rowOf(masked(observed.inspect(), mask), listener))
    },
    async close() {
      live.close()
      await Promise.all([ui?.close(), record?.close()])
    },
  }
}

/** Recognises replays at once, because closed connections have no address. */
function originsOf(server: Server, replays: Replays): WeakMap<IncomingMessage, OpenReplay> {
  const origins = new WeakMap<IncomingMessage, OpenReplay>()
  server.prependListener('request', (request: IncomingMessage) => {
    const replay = replays.of(request.socket)
    if (replay !== undefined) origins.set(request, replay)
  })
  return origins
}
