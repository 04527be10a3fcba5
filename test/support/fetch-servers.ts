import type { ListenOptions, NetConnectOpts } from 'node:net'
import { onTestFinished } from 'vitest'
import { Log } from './log.ts'
import { ENGINE } from './runtime.ts'

export interface Listening {
  readonly address: NetConnectOpts
  /** One entry per closed connection. */
  readonly closings: Log<string>
}

/** A fetch handler that gets the sender's address, if the server knows it. */
export type FetchApp = (request: Request, ip: string | undefined) => Response | Promise<Response>

/** Serves with the runtime's own server until the test ends. */
export async function serveFetch(
  app: FetchApp,
  listenOn: ListenOptions = { port: 0, host: '127.0.0.1' },
): Promise<Listening> {
  const closings = new Log<string>()
  // These servers do not expose connections, only aborted requests.
  const watched: FetchApp = (request, ip) => {
    request.signal.addEventListener('abort', () => closings.add('closed'))
    return app(request, ip)
  }
  const port = ENGINE === 'bun' ? await onBun(watched, listenOn) : await onDeno(watched, listenOn)
  return {
    address: listenOn.path ? { path: listenOn.path } : { port: port ?? 0, host: '127.0.0.1' },
    closings,
  }
}

/** The part of `Bun` that is used: its types would change those of Node for all tests. */
interface BunServer {
  readonly port: number | undefined
  requestIP(request: Request): { readonly address: string } | null
  stop(closeConnections: boolean): Promise<void>
}
interface BunRuntime {
  serve(options: object & { fetch(request: Request, server: BunServer): unknown }): BunServer
}

async function onBun(app: FetchApp, { path, port, host }: ListenOptions): Promise<number | undefined> {
  const bun: BunRuntime = Reflect.get(globalThis, 'Bun')
  const server = bun.serve({
    ...(path ? { unix: path } : { port, hostname: host }),
    fetch: (request, peer) => app(request, peer.requestIP(request)?.address),
  })
  onTestFinished(() => server.stop(true))
  return server.port
}

interface DenoServer {
  readonly addr: { readonly port?: number }
}
interface DenoRuntime {
  serve(
    options: object,
    handler: (request: Request, peer: { readonly remoteAddr: { readonly hostname?: string } }) => unknown,
  ): DenoServer
}

async function onDeno(app: FetchApp, { path, port, host }: ListenOptions): Promise<number | undefined> {
  const deno: DenoRuntime = Reflect.get(globalThis, 'Deno')
  const stop = new AbortController()
  const server = deno.serve(
    { ...(path ? { path } : { port, hostname: host }), signal: stop.signal, onListen: () => {} },
    (request, { remoteAddr }) => app(request, remoteAddr.hostname),
  )
  onTestFinished(() => stop.abort())
  return server.addr.port
}
