import { etag } from 'hono/etag'
import type { Dependencies } from '../http/dependencies.ts'
import { pageHeaders, serveFile } from '../http/page.ts'
import type { Router } from '../http/router.ts'
import { overviewPage } from './page.ts'
import { signedIn } from './sign-in.ts'
import { readState } from './state.ts'

const ASSETS = new URL('../../assets/', import.meta.url)

/** Serves `/`, a read-only page with the service's recent activity. Its script asks for `/overview/latest`. */
export function showOverview(app: Router, dependencies: Dependencies): void {
  for (const path of ['/', '/overview/latest']) {
    app.get(path, signedIn(dependencies), etag(), async (c) => {
      const page = overviewPage(await readState(dependencies.database))
      return c.html(page, 200, { ...pageHeaders(), 'cache-control': 'no-store' })
    })
  }
  serveFile(app, '/overview/overview.css', 'text/css', new URL('overview.css', ASSETS))
  serveFile(app, '/overview/overview.js', 'text/javascript', new URL('overview.js', ASSETS))
}
