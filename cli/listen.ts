import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type Authenticator, defineListener, type Listener } from '../src/index.ts'
import { RETENTION_SECONDS, replayWindowSeconds } from '../src/limits.ts'
import { memoryStore } from '../stores/memory.ts'
import { type Command, defineCommand } from './command.ts'
import { COLUMNS, formatDelivery } from './delivery-line.ts'
import { pathOf } from './endpoint.ts'
import { EXIT, RefusedError, UsageError } from './exit.ts'
import { chooseAuth, type ListenAuth } from './listen-auth.ts'
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
import { codeOf, toUsageError, wholeNumber } from './values.ts'
import { serveWebhooks } from './webhook-server.ts'

const MAX_RECORDS = 100_000
const LARGEST_BODY = 64 * 2 ** 20

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
    'hookgate listen --jwks hookgate-jwks.json',
    'hookgate listen --store sqlite:events.db',
    'hookgate listen --scheme github --secret-file secret.txt',
    'hookgate listen --jwks https://sender.example/jwks.json --tenant-url https://t.example --public-url https://t.example',
  ],
  async run(given) {
    const auth = await chooseAuth(given)
    const limits = readLimits(given)
    const id = readListenerId(given['listener-id'] ?? DEFAULT_ID)
    const port = wholeNumber('--port', given.port ?? `${DEFAULT_PORT}`, 0, 65_535)
    const kept = await findStore(given.store, limits.toleranceSeconds)
    const server = createServer()
    try {
      const url = `${await bind(server, given.host ?? DEFAULT_HOST, port)}${pathOf(id)}`
      const stopped = untilStopped(server)
      const listener = describe(id, await auth.authFor(url), limits, given['allow-cidr'], kept)
      const asJson = given.json ?? false
      serveWebhooks(server, listener, pathOf(id), (line, detail) => {
        print(formatDelivery(line, asJson))
        if (given.explain && detail !== undefined) remark(`  ${printable(detail)}`)
      })
      greet(url, auth, kept.shown, asJson ? remark : print)
      await stopped
      return EXIT.done
    } finally {
      server.close()
      await kept.close()
    }
  },
})

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
  const { tolerance, 'max-body': maxBody } = given
  const [longest, largest] = [RETENTION_SECONDS / 2, LARGEST_BODY]
  return {
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

const BIND_PROBLEMS: { readonly [code: string]: string } = {
  EADDRINUSE: 'the port is in use; choose another with --port, or --port 0 for any free one',
  EACCES: 'that port needs more rights; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --host',
  ENOTFOUND: 'there is no such host; choose another with --host',
}

/** The base URL, once the server accepts connections. */
async function bind(server: Server, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const problem = BIND_PROBLEMS[codeOf(error)] ?? `it cannot be opened (${codeOf(error)})`
    throw new RefusedError(`${host} port ${port}: ${problem}`)
  }
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return `http://${ANY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${bound}`
}

/** What is listened to everywhere is best reached here. */
const ANY_ADDRESS: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

function greet(url: string, auth: ListenAuth, store: string | undefined, say: (line: string) => void): void {
  say(`Listening on ${url}`)
  say(auth.remark)
  if (store !== undefined) say(`Events are remembered in ${printable(store)}`)
  say('')
  say('Next, in another terminal:')
  say(`  ${auth.sendCommand(url)} --data '{"hello":"world"}'`)
  say('')
}
