import { createServer } from 'node:http'
import { defineListener, type Listener } from '../../src/index.ts'
import { RETENTION_SECONDS, replayWindowSeconds } from '../../src/limits.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT, UsageError } from '../command-line/exit.ts'
import { messageOf, print, remark, withHelp } from '../command-line/output.ts'
import { byteSize, httpUrl, toUsageError, urlPath, wholeNumber } from '../command-line/values.ts'
import type { Forwarder } from '../forward/forward.ts'
import { checkTimeout, FORWARD_OPTIONS, readForwarding } from '../forward/forward-options.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { INSPECTOR_OPTIONS, readInspectorSettings } from '../inspector/options.ts'
import { chooseAuth } from '../listen/auth.ts'
import { withExplanation } from '../listen/explanations.ts'
import { workingCommand } from '../listen/next-command.ts'
import {
  DEFAULT_HOST,
  DEFAULT_ID,
  DEFAULT_PORT,
  LISTEN_OPTIONS,
  type ListenValues,
} from '../listen/options.ts'
import type { DeliveryReport } from '../listen/report.ts'
import { bind, untilStopped } from '../listen/server.ts'
import type { ListenStore } from '../listen/store.ts'
import { greet, terminalLog } from '../listen/terminal.ts'
import { serveWebhooks } from '../listen/webhook-server.ts'
import { pathOf } from '../signing/endpoint.ts'

const LARGEST_BODY = 64 * 2 ** 20
const LONGEST_LEASE_SECONDS = 3600
const MAX_RECORDS = 100_000

export const listen: Command = defineCommand({
  name: 'listen',
  summary: 'receive signed webhooks on this machine, and print a line for each',
  meant: '--port N, --scheme NAME, --forward-to URL',
  options: LISTEN_OPTIONS,
  common: [
    'scheme',
    'secret-file',
    'forward-to',
    'port',
    'path',
    'store',
    'ui',
    'open',
    'explain',
    'body',
    'json',
  ],
  groups: {
    Sender: ['public-url', 'key-id', 'verify-token-file', 'allow-cidr'],
    JWT: ['jwks', 'tenant-url', 'allow-insecure-loopback'],
    'Your app': Object.keys(FORWARD_OPTIONS),
    Inspector: Object.keys(INSPECTOR_OPTIONS),
  },
  notes: [
    'Without --scheme and a secret, it makes a secret and shows it once.',
    'A restart forgets events, unless you give --store or set HOOKGATE_STORE.',
    'Each line shows time, status, milliseconds, result, event type and event ID.',
    'Ctrl-C finishes deliveries in flight and prints a summary. A second Ctrl-C stops at once.',
  ],
  moreNotes: [
    'A store is sqlite:FILE for one machine, redis(s)://, postgres(ql)://, mysql:// or mariadb:// for several. Your project needs the client: ioredis or redis; pg or postgres; mysql2 or mariadb; node:sqlite, better-sqlite3 or libsql. Put a URL with a password into HOOKGATE_STORE, because every user of this machine can read a command line.',
  ],
  examples: [
    'hookgate listen --scheme stripe --secret-file whsec.txt --forward-to localhost:3000/webhooks/stripe',
    'hookgate listen --scheme github --secret-file secret.txt --ui --open',
    'hookgate listen --scheme twilio --secret-file token.txt --public-url https://example.ngrok.app/sms',
  ],
  async run(given) {
    const settings = await readSettings(given)
    const { auth, forwarding } = settings
    const server = createServer()
    const store = await findStore(given.store, settings.limits.toleranceSeconds)
    const terminal = terminalLog({ ...given, path: settings.path, forwardTo: settings.forwarding?.target })
    let app: Forwarder | undefined
    let inspector: Inspector | undefined
    try {
      const url = `${await bind(server, given.host ?? DEFAULT_HOST, settings.port)}${settings.path ?? usualPath(given, settings.id)}`
      const stopped = untilStopped(server)
      const listener = await listenerFor(settings, url, given['allow-cidr'], store)
      checkHealth(settings, listener)
      if (forwarding) {
        checkTimeout(forwarding, listener.maxRunMs)
        const { forwarder } = await import('../forward/forward.ts')
        const publicUrl = httpUrl('--public-url', given['public-url'] ?? url)
        app = forwarder(forwarding, publicUrl, listener.protocol.scheme)
      }
      const command = await workingCommand(auth.sendCommand(url), listener)
      const listening = { given, auth, server, listener, url, command, forwarding }
      if (settings.inspector) {
        const { openInspector } = await import('../inspector/inspector.ts')
        inspector = await openInspector(settings.inspector, listening)
      }
      const printReport = withExplanation(terminal.printReport, listening)
      const onDelivery = (report: DeliveryReport) => {
        inspector?.add(report) // first, because printing may end the process
        printReport(report)
      }
      const allReported = serveWebhooks(server, {
        listener,
        path: settings.path,
        health: settings.health,
        answerEvent: app?.answer,
        rerunOf: inspector?.rerunOf,
        onDelivery,
      })
      const opened = { store: store.shown, forwardTo: forwarding?.target, inspector: inspector?.url }
      greet({ url, path: settings.path, auth, command, ...opened }, given.json ? remark : print)
      const finished = await stopped
      await allReported()
      remark(`hookgate: ${terminal.summary(finished)}`)
      return EXIT.done
    } finally {
      server.close()
      await app?.close()
      await inspector?.close()
      await store.close()
    }
  },
})

type Settings = Awaited<ReturnType<typeof readSettings>>

/** Reads everything that needs no open port. @throws UsageError */
async function readSettings(given: ListenValues) {
  const id = given['listener-id'] ?? DEFAULT_ID
  // Clients resolve `.` and `..` in a path before they send, so no delivery would arrive.
  if (['', '.', '..'].includes(id)) throw new UsageError('--listener-id takes a name, e.g. demo')
  const path = given.path === undefined ? undefined : urlPath('--path', given.path)
  return {
    auth: await chooseAuth(given),
    limits: readLimits(given),
    forwarding: await readForwarding(given),
    inspector: await readInspectorSettings(given),
    id,
    path,
    health: healthPath(given.health, path),
    port: wholeNumber('--port', given.port ?? `${DEFAULT_PORT}`, 0, 65_535),
  }
}

function healthPath(given: string | undefined, path: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const health = urlPath('--health', given)
  if (health !== path) return health
  throw new UsageError('--health takes another path than --path, whose GET may come from the sender')
}

/** A handshake may be a GET or HEAD of any path. @throws UsageError if `--health` could answer in the listener's place. */
function checkHealth({ health, path }: Settings, { protocol }: Listener): void {
  if (health === undefined || path !== undefined) return
  if (!protocol.methods.includes('GET') && protocol.scheme?.handshake === undefined) return
  throw new UsageError(
    `--health needs --path PATH for this sender, because a GET of ${health} could be the sender's own: add the path that the sender calls`,
  )
}

/** The path to show, if every path is answered: the specification's, which its tokens name. Other senders have none. */
const usualPath = ({ scheme }: ListenValues, id: string) => (scheme === undefined ? pathOf(id) : '/')

/** Opens the store that `--store` or `HOOKGATE_STORE` names. The default is memory, which loads no client. */
async function findStore(
  given: string | undefined,
  toleranceSeconds: number | undefined,
): Promise<ListenStore> {
  const url = given ?? process.env.HOOKGATE_STORE
  if (url !== undefined) return (await import('../listen/store.ts')).openStore(url)
  const store = memoryStore({
    maxRecords: MAX_RECORDS,
    replayWindowSeconds: replayWindowSeconds(toleranceSeconds),
  })
  return { store, shown: undefined, explain: messageOf, close: async () => {} }
}

function readLimits(given: ListenValues) {
  const { tolerance, 'max-body': maxBody, lease } = given
  const longest = RETENTION_SECONDS / 2
  return {
    ...(lease && { leaseSeconds: wholeNumber('--lease', lease, 1, LONGEST_LEASE_SECONDS) }),
    ...(tolerance && { toleranceSeconds: wholeNumber('--tolerance', tolerance, 1, longest) }),
    ...(maxBody && { maxBodyBytes: byteSize('--max-body', maxBody, LARGEST_BODY) }),
  }
}

async function listenerFor(
  { id, auth, limits }: Settings,
  url: string,
  allowedCidrs: readonly string[] | undefined,
  { store, explain }: ListenStore,
): Promise<Listener> {
  const onError = (error: unknown) => remark(withHelp(`hookgate: ${explain(error)}`, error))
  const authenticator = await auth.authFor(url)
  try {
    const hooks = { onError, explainRefusals: false } // `listen` prints its own lines
    return defineListener({ id, auth: authenticator, store, allowedCidrs, ...hooks, ...limits })
  } catch (error) {
    throw toUsageError(error, '--allow-cidr')
  }
}
