import { missingMigrations } from '../database/migrate.ts'
import type { Dependencies } from './dependencies.ts'
import { Problem } from './problem.ts'
import type { Router } from './router.ts'

/**
 * `/healthz`: the process is alive. `/readyz`: the database answers and has every migration, and the service is not
 * stopping, so requests can be served.
 * Both need no token and reveal nothing else.
 */
export function answerProbes(app: Router, { database, stopping }: Dependencies): void {
  app.get('/healthz', (c) => c.json({ status: 'alive' }, 200, { 'cache-control': 'no-store' }))
  app.get('/readyz', async (c) => {
    if (stopping.aborted) throw new Problem('unavailable', 'The service is stopping.')
    if ((await missingMigrations(database)).length > 0) {
      throw new Problem(
        'unavailable',
        'The database lacks migrations of this version. Starting the service applies them.',
      )
    }
    return c.json({ status: 'ready' }, 200, { 'cache-control': 'no-store' })
  })
}
