import type { Server } from 'node:http'

export interface StopOptions {
  readonly server: Server
  /** Ends what goes on beside the requests, and closes the database. */
  readonly end: () => Promise<void>
  /** How long requests that have begun may take to end, in milliseconds. */
  readonly deadlineMs: number
  readonly log: (line: string) => void
}

/** What is left after the connections is steps and the database, which is safe to leave at any time. */
const END_MS = 5_000

/**
 * Takes no more requests, lets those that have begun end, and then the rest. At the deadline the connections that are left are
 * cut. Everything that was committed stays, everything else rolls back, as it would if the process were killed.
 *
 * @returns The exit code: 1 when the rest did not end either.
 */
export async function stop({ server, end, deadlineMs, log }: StopOptions): Promise<0 | 1> {
  // A proxy that keeps its connection alive would keep the server with it.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const cut = setTimeout(() => {
    log(`Requests were still running after ${deadlineMs / 1_000} s: their connections are cut.`)
    server.closeAllConnections()
  }, deadlineMs)
  await new Promise((resolve) => server.close(resolve))
  clearTimeout(cut)
  const late = new Promise<1>((resolve) => setTimeout(resolve, END_MS, 1).unref())
  const code = await Promise.race([late, end().then(() => 0 as const)])
  if (code === 1) log('The database or a step of a run did not end in time. Runs go on after the next start.')
  return code
}
