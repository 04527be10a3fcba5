import { createServer } from 'node:http'
import { defineListener, type Listener } from '../../src/index.ts'
import { RETENTION_SECONDS } from '../../src/limits.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT, UsageError } from '../command-line/exit.ts'
import { print, remark, withHelp } from '../command-line/output.ts'
import { byteSize, httpUrl, toUsageError, wholeNumber } from '../command-line/values.ts'
import type { Forwarder } from '../forward/forward.ts'
import { checkTimeout, type Forwarding, readForwarding } from '../forward/forward-options.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { alsoTo, planInspector, watchWith } from '../inspector/on-demand.ts'
import { chooseAuth } from '../listen/auth.ts'
import { bind } from '../listen/bind.ts'
import { withLikely } from '../listen/explanations.ts'
import { findStore } from '../listen/find-store.ts'
import { greet } from '../listen/greeting.ts'
import {
  DEFAULT_HOST,
  DEFAULT_ID,
  DEFAULT_PORT,
  LISTEN_OPTIONS,
  type ListenValues,
} from '../listen/options.ts'
import { untilStopped } from '../listen/stop.ts'
import type { ListenStore } from '../listen/store.ts'
import { terminalLog } from '../listen/terminal.ts'
import { serveWebhooks } from '../listen/webhook-server.ts'
import { pathOf } from '../signing/endpoint.ts'

const LARGEST_BODY = 64 * 2 ** 20
const LONGEST_LEASE_SECONDS = 3600

export const listen: Command = defineCommand<ListenValues>({
  name: 'listen',
  summary: 'receive signed webhooks on this machine, and print a line for each',
  options: LISTEN_OPTIONS,
  notes: [
    'Uses HMAC unless you give --jwks or --scheme. If you give no secret, it generates one and shows it once.',
    'Events are remembered in memory, so a restart forgets them. To keep them, give --store or set HOOKGATE_STORE:',
    'sqlite:FILE for one machine, redis(s):// or postgres(ql):// for several. Your project needs the client: ioredis or',
    'redis; pg or postgres; node:sqlite, better-sqlite3 or libsql. Put a URL with a password into HOOKGATE_STORE, because',
    'every user of this machine can read a command line.',
    '--public-url and --tenant-url default to the address it listens on.',
    'Each line shows time, status, milliseconds, event ID and result. --json prints every field.',
    'Ctrl-C finishes deliveries in flight and prints a summary. A second Ctrl-C stops at once.',
  ],
  examples: [
    'hookgate listen',
    'HOOKGATE_SECRET=$(cat secret.txt) hookgate listen --port 0 --json',
    'hookgate listen --forward-to http://localhost:3000/webhooks',
    'hookgate listen --ui --record deliveries.ndjson',
    'hookgate listen --jwks hookgate-jwks.json',
    'hookgate listen --store sqlite:events.db',
    'hookgate listen --scheme github --secret-file secret.txt',
    'hookgate listen --jwks https://sender.example/jwks.json --tenant-url https://t.example --public-url https://t.example',
  ],
  async run(given) {
    const plan = await readPlan(given)
    const { auth, forwarding } = plan
    const server = createServer()
    const kept = await findStore(given.store, plan.limits.toleranceSeconds)
    const log = terminalLog(given)
    let app: Forwarder | undefined
    let inspector: Inspector | undefined
    try {
      const url = `${await bind(server, given.host ?? DEFAULT_HOST, plan.port)}${pathOf(plan.id)}`
      const stopped = untilStopped(server)
      const listener = await listenerFor(plan, url, given['allow-cidr'], kept)
      app = await openApp(forwarding, listener, given['public-url'] ?? url)
      const listening = { given, auth, server, listener, url }
      inspector = await watchWith(plan.inspector, listening)
      const tell = alsoTo(inspector, withLikely(log.tell, listening))
      const allTold = serveWebhooks(server, { listener, answerEvent: app?.answer, tell })
      const shown = { url, auth, store: kept.shown, forwardTo: forwarding?.target, inspector: inspector?.url }
      greet(shown, given.json ? remark : print)
      const finished = await stopped
      await allTold()
      remark(`hookgate: ${log.summary(finished)}`)
      return EXIT.done
    } finally {
      server.close()
      await app?.close()
      await inspector?.close()
      await kept.close()
    }
  },
})

type Plan = Awaited<ReturnType<typeof readPlan>>

/** Reads everything that needs no open port. @throws UsageError */
async function readPlan(given: ListenValues) {
  return {
    auth: await chooseAuth(given),
    limits: readLimits(given),
    forwarding: await readForwarding(given),
    inspector: await planInspector(given),
    id: readListenerId(given['listener-id'] ?? DEFAULT_ID),
    port: wholeNumber('--port', given.port ?? `${DEFAULT_PORT}`, 0, 65_535),
  }
}

/** @throws UsageError if the app may take longer than the lease allows. */
async function openApp(
  forwarding: Forwarding | undefined,
  listener: Listener,
  publicUrl: string,
): Promise<Forwarder | undefined> {
  if (forwarding === undefined) return undefined
  checkTimeout(forwarding, listener.leaseMs)
  const { forwarder } = await import('../forward/forward.ts')
  return forwarder(forwarding, httpUrl('--public-url', publicUrl))
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

/** Clients resolve `.` and `..` in a path before they send, so no delivery would arrive. */
function readListenerId(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new UsageError('--listener-id takes a name, e.g. demo')
  return id
}

async function listenerFor(
  { id, auth, limits }: Plan,
  url: string,
  allowedCidrs: readonly string[] | undefined,
  { store, explain }: ListenStore,
): Promise<Listener> {
  const onError = (error: unknown) => remark(withHelp(`hookgate: ${explain(error)}`, error))
  const authenticator = await auth.authFor(url)
  try {
    return defineListener({ id, auth: authenticator, store, allowedCidrs, onError, ...limits })
  } catch (error) {
    throw toUsageError(error, '--allow-cidr')
  }
}
