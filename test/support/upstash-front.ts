import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis as Upstash } from '@upstash/redis'

/** A client of any version of ioredis. */
interface Caller {
  call(command: string, args: string[]): Promise<unknown>
}

/** Upstash's own client. A front that runs each command on a real server replaces its service. */
export async function connectUpstash(
  redis: Caller,
): Promise<{ client: Upstash; url: string; close(): Promise<unknown> }> {
  const front = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const sent: unknown = JSON.parse(Buffer.concat(chunks).toString())
    // A command is an array of words. A pipeline is an array of commands, answered in order.
    const reply =
      request.url === '/pipeline' ? await Promise.all(commandsIn(sent).map(run)) : await run(wordsIn(sent))
    response.writeHead('error' in reply ? 400 : 200).end(JSON.stringify(reply))
  })
  const run = ([name = '', ...args]: string[]) =>
    redis.call(name, args).then(
      // Requested by `upstash-encoding: base64`.
      (result) => ({ result: typeof result === 'string' ? Buffer.from(result).toString('base64') : result }),
      (error: unknown) => ({ error: String(error) }),
    )
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  // It listens on TCP, so the address is no path.
  const { port } = front.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const client = new Upstash({ url, token: 'none', enableTelemetry: false })
  const close = () => {
    front.closeAllConnections()
    return once(front.close(), 'close')
  }
  return { client, url, close }
}

function commandsIn(sent: unknown): string[][] {
  if (!Array.isArray(sent)) throw new TypeError('not a pipeline')
  return sent.map(wordsIn)
}

function wordsIn(sent: unknown): string[] {
  if (!Array.isArray(sent)) throw new TypeError('not a command')
  return sent.map(String)
}
