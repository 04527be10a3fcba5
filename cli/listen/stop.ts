import type { Server, ServerResponse } from 'node:http'
import { remark } from '../command-line/output.ts'

const INTERRUPTED = 130
/** npm forwards Ctrl-C to a process that already got it from the terminal. */
const SAME_KEYSTROKE_MS = 500

/**
 * Resolves after Ctrl-C or SIGTERM, once every delivery in flight is answered, with their number. A second Ctrl-C ends the
 * process at once.
 */
export function untilStopped(server: Server): Promise<number> {
  const inFlight = new Set<ServerResponse>()
  let stoppedAt: number | undefined
  const track = (_request: unknown, response: ServerResponse) => {
    inFlight.add(response)
    response.once('close', () => {
      inFlight.delete(response)
      // closeIdleConnections() would miss connections that have never sent a byte.
      if (stoppedAt !== undefined && inFlight.size === 0) server.closeAllConnections()
    })
  }
  server.prependListener('request', track).prependListener('checkContinue', track)

  return new Promise((resolve) => {
    const stop = () => {
      if (stoppedAt !== undefined) {
        if (performance.now() - stoppedAt > SAME_KEYSTROKE_MS) process.exit(INTERRUPTED)
        return
      }
      stoppedAt = performance.now()
      const { size } = inFlight
      server.close(() => resolve(size))
      for (const response of inFlight) response.shouldKeepAlive = false
      if (size === 0) return server.closeAllConnections()
      remark(`hookgate: finishing ${size} in flight; Ctrl-C again stops at once`)
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}
