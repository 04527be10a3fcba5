import { createServer } from 'node:http'
import { type Authenticator, defineListener, type Listener } from '../src/index.ts'
import { RETENTION_SECONDS, replayWindowSeconds } from '../src/limits.ts'
import { memoryStore } from '../stores/memory.ts'
import { bind } from './bind.ts'
import { type Command, defineCommand } from './command.ts'
import { COLUMNS, formatDelivery } from './delivery-line.ts'
import { pathOf } from './endpoint.ts'
import { EXIT, UsageError } from './exit.ts'
import type { Forwarder } from './forward/forward.ts'
import { checkTimeout, type Forwarding, readForwarding } from './forward/forward-options.ts'
import { greet } from './greeting.ts'
import { chooseAuth } from './listen-auth.ts'
import {
  DEFAULT_HOST,
  DEFAULT_ID,
  DEFAULT_PORT,
  LISTEN_OPTIONS,
  type ListenValues,
} from './listen-options.ts'
import type { ListenStore } from './listen-store.ts'
import { messageOf, print, printable, remark } from './output.ts'
import { untilStopped } from './stop.ts'
import { toUsageError, wholeNumber } from './values.ts'
import { acceptHere, serveWebhooks } from './webhook-server.ts'

const MAX_RECORDS = 100_000
const LARGEST_BODY = 64 * 2 ** 20
const LONGEST_LEASE_SECONDS = 3600

export const listen: Command = defineCommand<ListenValues>({
  name: 'listen',
  summary: 'receive signed webhooks on this machine, and print a line for each',
  options: LISTEN_OPTIONS,
  notes: [
    'Without --jwks it is HMAC; without a secret either, one is generated and shown once.',
    'Events are remembered in memory: a restart forgets them. --store, or HOOKGATE_STORE, keeps them: sqlite:FILE on',
    'this machine, redis(s):// or postgres(ql):// for several. It uses your ioredis or redis, pg or postgres, node:sqlite,',
    'better-sqlite3 or libsql. A password is better in HOOKGATE_STORE: everybody on this machine can read a command line.',
    '--public-url and --tenant-url default to the address it listens on.',
    `A line has: ${COLUMNS}.`,
    'Ctrl-C finishes what is in flight; twice stops at once.',
  ],
  examples: [
    'hookgate listen',
    'HOOKGATE_SECRET=$(cat secret.txt) hookgate listen --port 0 --json',
    'hookgate listen --forward-to http://localhost:3000/webhooks',
    'hookgate listen --jwks hookgate-jwks.json',
    'hookgate listen --store sqlite:events.db',
    'hookgate listen --scheme github --secret-file secret.txt',
    'hookgate listen --jwks https://sender.example/jwks.json --tenant-url https://t.example --public-url https://t.example',
  ],
  async run(given) {
    const auth = await chooseAuth(given)
    const limits = readLimits(given)
    const forwarding = await readForwarding(given)
    const id = readListenerId(given['listener-id'] ?? DEFAULT_ID)
    const port = wholeNumber('--port', given.port ?? `${DEFAULT_PORT}`, 0, 65_535)
    const kept = await findStore(given.store, limits.toleranceSeconds)
    const server = createServer()
    let app: Forwarder | undefined
    try {
      const url = `${await bind(server, given.host ?? DEFAULT_HOST, port)}${pathOf(id)}`
      const stopped = untilStopped(server)
      const listener = describe(id, await auth.authFor(url), limits, given['allow-cidr'], kept)
      app = await openApp(forwarding, listener, given['public-url'] ?? url)
      const asJson = given.json ?? false
      serveWebhooks(server, {
        listener,
        path: pathOf(id),
        answerEvent: app?.answer ?? acceptHere,
        tell({ line, verdict }) {
          print(formatDelivery(line, asJson))
          if (given.explain && verdict?.ok === false && verdict.detail)
            remark(`  ${printable(verdict.detail)}`)
        },
      })
      greet({ url, auth, store: kept.shown, forwardTo: forwarding?.target }, asJson ? remark : print)
      await stopped
      return EXIT.done
    } finally {
      server.close()
      await app?.close()
      await kept.close()
    }
  },
})

/** @throws UsageError when the app is given more time than the lease allows. */
async function openApp(
  forwarding: Forwarding | undefined,
  listener: Listener,
  publicUrl: string,
): Promise<Forwarder | undefined> {
  if (forwarding === undefined) return undefined
  checkTimeout(forwarding, listener.leaseMs)
  return (await import('./forward/forward.ts')).forwarder(forwarding, publicUrl)
}

/** Nothing is loaded for a memory: no client, and no code for one. */
async function findStore(
  given: string | undefined,
  toleranceSeconds: number | undefined,
): Promise<ListenStore> {
  const url = given ?? process.env.HOOKGATE_STORE
  if (url !== undefined) return (await import('./listen-store.ts')).openStore(url)
  const store = memoryStore({
    maxRecords: MAX_RECORDS,
    replayWindowSeconds: replayWindowSeconds(toleranceSeconds),
  })
  return { store, shown: undefined, explain: messageOf, close: async () => {} }
}

function readLimits(given: ListenValues) {
  const { tolerance, 'max-body': maxBody, lease } = given
  const [longest, largest] = [RETENTION_SECONDS / 2, LARGEST_BODY]
  return {
    ...(lease && { leaseSeconds: wholeNumber('--lease', lease, 1, LONGEST_LEASE_SECONDS) }),
    ...(tolerance && { toleranceSeconds: wholeNumber('--tolerance', tolerance, 1, longest) }),
    ...(maxBody && { maxBodyBytes: wholeNumber('--max-body', maxBody, 1, largest) }),
  }
}

/** A path's `.` and `..` are taken for steps by whoever sends, so no delivery would ever arrive. */
function readListenerId(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new UsageError('--listener-id takes a name, like demo')
  return id
}

function describe(
  id: string,
  auth: Authenticator,
  limits: ReturnType<typeof readLimits>,
  allowedCidrs: readonly string[] | undefined,
  { store, explain }: ListenStore,
): Listener {
  const onError = (error: unknown) => remark(`hookgate: ${explain(error)}`)
  try {
    return defineListener({ id, auth, store, allowedCidrs, onError, ...limits })
  } catch (error) {
    throw toUsageError(error, '--allow-cidr')
  }
}
