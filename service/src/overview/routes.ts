import { readFile } from 'node:fs/promises'
import { etag } from 'hono/etag'
import type { Dependencies } from '../http/dependencies.ts'
import { ASSETS, pageHeaders, serveFile } from '../http/page.ts'
import type { Router } from '../http/router.ts'
import { overview } from './page.ts'
import { signedIn } from './sign-in.ts'
import { readState } from './state.ts'

/** Serves `/`, a read-only page whose script shows the service's recent activity, and asks for it again and again. */
export function showOverview(app: Router, dependencies: Dependencies): void {
  const headers = { ...pageHeaders(), 'cache-control': 'no-store' }
  app.get('/', signedIn(dependencies), async (c) =>
    c.html(await readFile(new URL('overview.html', ASSETS), 'utf8'), 200, headers),
  )
  app.get('/overview/latest', signedIn(dependencies), etag(), async (c) =>
    c.html(overview(await readState(dependencies.database)), 200, headers),
  )
  serveFile(app, '/overview/overview.css', 'text/css', new URL('overview.css', ASSETS))
  serveFile(app, '/overview/overview.js', 'text/javascript', new URL('overview.js', ASSETS))
}
