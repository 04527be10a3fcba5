import type { Server } from 'node:net'
import { constants } from 'node:os'
import { ListenerConfigError } from '../errors.ts'
import { callHook } from '../lib/hooks.ts'
import { aFunction, checkOptions, hasMethod, optional, timerMilliseconds } from '../lib/options.ts'
import { Drain, SAME_KEYSTROKE_MS } from './drain.ts'

/**
 * The options of `onStop`.
 *
 * @example
 * ```ts
 * onStop(server, () => pool.end(), { drainMs: 25_000 })
 * ```
 */
export interface StopOptions {
  /** How long requests in flight may take, in milliseconds. Then their connections are cut, and a warning is written. Defaults to 10,000. */
  readonly drainMs?: number | undefined
}

const DEFAULT_DRAIN_MS = 10_000

/**
 * Stops the process in order on SIGTERM and on SIGINT (Ctrl-C): takes no new connection, answers what is in flight and what still comes on
 * open connections, the last time on each, and then calls `end`. The process ends by itself when nothing keeps it. A second signal ends it
 * at once.
 *
 * `server.close()` alone resets requests that are on their way, and answers none of them. Replaces no method of your server.
 *
 * @example
 * ```ts
 * onStop(app.listen(3000), async () => {
 *   await worker.stop() // waits for what runs
 *   await pool.end()
 * })
 * ```
 *
 * @param servers The server or servers of `node:http`, `node:https` or `node:http2` that `app.listen()` or `serve()` returns, in Fastify
 * `app.server`. None, `[]`, for a process that only works.
 * @param end Called once all connections are closed. If it rejects, the process ends with the error.
 * @throws ListenerConfigError for anything else.
 */
export function onStop(
  servers: Server | readonly Server[],
  end: () => unknown,
  options: StopOptions = {},
): void {
  const drains = [servers].flat().map((server) => new Drain(checkServer(server)))
  aFunction(end, 'end')
  checkOptions('onStop', options, { drainMs: optional(timerMilliseconds) })
  const { drainMs = DEFAULT_DRAIN_MS } = options
  let stoppedAt: number | undefined
  const stop = async (signal: 'SIGTERM' | 'SIGINT') => {
    if (stoppedAt !== undefined) {
      if (performance.now() - stoppedAt > SAME_KEYSTROKE_MS) process.exit(128 + constants.signals[signal])
      return
    }
    stoppedAt = performance.now()
    const unanswered = await Promise.all(drains.map((drain) => drain.close(drainMs)))
    const count = unanswered.reduce((sum, each) => sum + each, 0)
    if (count > 0)
      callHook(() => console.warn(`hookgate: stopped with ${count} requests unanswered after ${drainMs} ms`))
    await end()
    process.channel?.unref() // that of a cluster keeps its workers
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
}

function checkServer(server: unknown): Server {
  if (hasMethod(server, 'close') && hasMethod(server, 'address') && hasMethod(server, 'prependListener'))
    return server as Server // as far as it is used
  throw new ListenerConfigError(
    'servers',
    'must be what `app.listen()` or `serve()` returned; in Fastify, `app.server`',
  )
}
