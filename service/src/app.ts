import { automationRoutes } from './automations/routes.ts'
import { directoryRoutes } from './directory/routes.ts'
import { entitlementRoutes } from './entitlements/routes.ts'
import { bearer } from './http/bearer.ts'
import type { Dependencies } from './http/dependencies.ts'
import { serveDocument } from './http/document.ts'
import { replyTo } from './http/failures.ts'
import { answerProbes } from './http/health.ts'
import { observed } from './http/observed.ts'
import { serveReference } from './http/reference-page.ts'
import { newRouter, type Router } from './http/router.ts'
import { unrouted } from './http/unrouted.ts'
import { listenerRoutes } from './listeners/routes.ts'
import { showOverview } from './overview/routes.ts'
import { policyRoutes } from './policies/routes.ts'
import { runRoutes } from './runs/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** The whole HTTP API. Routes before `bearer()` need no token and show no tenant data. */
export function createApp(dependencies: Dependencies): Router {
  const app = newRouter()
  app.onError((error, c) => replyTo(error, (failure) => dependencies.report(failure, c.var.requestId)))
  app.notFound(unrouted(app))
  app.use(observed(dependencies.metrics))
  answerProbes(app, dependencies)
  serveDocument(app, dependencies)
  serveReference(app, dependencies)
  showOverview(app, dependencies)
  // Their wrong methods need no token either.
  for (const path of new Set(app.routes.filter(({ method }) => method === 'GET').map((route) => route.path)))
    app.all(path, unrouted(app))
  app.route('/', webhookRoutes(dependencies))
  app.use('*', bearer(dependencies))
  app.get('/metrics', async (c) => c.text(await dependencies.metrics.text()))
  app.route('/', taskRoutes(dependencies))
  app.route('/', policyRoutes(dependencies))
  app.route('/', entitlementRoutes(dependencies))
  app.route('/', directoryRoutes(dependencies))
  app.route('/', automationRoutes(dependencies))
  app.route('/', listenerRoutes(dependencies))
  app.route('/', runRoutes(dependencies))
  return app
}
