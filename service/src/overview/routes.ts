import { readFile } from 'node:fs/promises'
import { streamSSE } from 'hono/streaming'
import type { Dependencies } from '../http/dependencies.ts'
import { pageHeaders } from '../http/page-headers.ts'
import { Problem } from '../http/problem.ts'
import type { Router } from '../http/router.ts'
import { unrouted } from '../http/unrouted.ts'
import { overviewPage } from './page.ts'
import { signedIn, tokenGiven } from './sign-in.ts'
import { readState } from './state.ts'
import { versionOf, Watch } from './watch.ts'

const ASSETS = new URL('../../assets/', import.meta.url)

/** Serves `/`, a read-only page with the service's recent activity. */
export function showOverview(app: Router, dependencies: Dependencies): void {
  const { database, report, stopping } = dependencies
  const read = () => readState(database)
  const watch = new Watch({ read, report, stopping })
  app.get('/', signedIn(dependencies), async (c) => {
    const state = await read()
    return c.html(overviewPage(state, versionOf(state)), 200, {
      ...pageHeaders(),
      'cache-control': 'no-store',
    })
  })
  app.get('/overview/changes', signedIn(dependencies), (c) => {
    // A HEAD client would never close the stream.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
    if (watch.isClosed) throw new Problem('unavailable', 'Too many browsers are connected.')
    const isAdmitted = async () => (await tokenGiven(dependencies, c)) !== undefined
    return streamSSE(c, (stream) => watch.send(stream, isAdmitted))
  })
  serveFile(app, 'overview.css', 'text/css')
  serveFile(app, 'overview.js', 'text/javascript')
  for (const path of ['/', '/overview/changes', '/overview/overview.css', '/overview/overview.js']) {
    app.all(path, unrouted(app)) // needs no token either
  }
}

/** Static files need no token. */
function serveFile(app: Router, name: string, type: string): void {
  app.get(`/overview/${name}`, async (c) =>
    c.body(await readFile(new URL(name, ASSETS), 'utf8'), 200, {
      ...pageHeaders(),
      'content-type': `${type}; charset=utf-8`,
    }),
  )
}
