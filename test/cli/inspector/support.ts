import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { SignedRequest } from '../../../src/testing/index.ts'
import { type RunningListener, SECRET, startListener } from '../support.ts'

export { SECRET } from '../support.ts'

export interface RunningInspector {
  readonly listener: RunningListener
  /** The printed URL, with the token. */
  readonly address: string
  readonly origin: string
  readonly port: number
  readonly token: string
  /** Calls the page's API as the page does. With a body, it is a POST. */
  ask(path: string, body?: object): Promise<Response>
  /** Sends a signed delivery and returns the status. */
  deliver(signed: SignedRequest): Promise<number>
}

/** On a new connection, because a busy machine may close an idle one just as it is used again. */
function deliver(url: string, { headers, body }: SignedRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body)
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': bytes.length },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.end(bytes)
  })
}

/** `hookgate listen --ui` on free ports, until the test ends. */
export async function startInspector(
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = { HOOKGATE_SECRET: SECRET },
): Promise<RunningInspector> {
  const listener = await startListener(['--ui', '--ui-port', '0', ...args], { env })
  const banner = args.includes('--json') ? listener.stderr : listener.stdout
  const [, address = '', origin = '', port = '', token = ''] = await banner.waitFor(
    /^Inspector: ((http:\/\/127\.0\.0\.1:(\d+))\/#(\S+))$/m,
  )
  return {
    listener,
    address,
    origin,
    port: Number(port),
    token,
    ask: (path, body) =>
      fetch(`${origin}/api/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    deliver: (signed) => deliver(listener.url, signed),
  }
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: unknown }
  readonly body: string
}

/** A request with headers that `fetch` would not send, e.g. another Host. */
export async function rawAsk(
  port: number,
  path: string,
  headers: { readonly [name: string]: string } = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      const body = (await buffer(response)).toString('utf8')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    sent.end()
  })
}
