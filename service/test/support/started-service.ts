import { rmSync } from 'node:fs'
import { inject } from 'vitest'
import { ServiceProcess } from '../processes/service-process.ts'
import { copyOfPostgres, urlOf } from './copies.ts'
import { onSeededPGlite } from './pglite-folder.ts'

/** A service with the demo tenant in a separate process, on Postgres if available, otherwise on PGlite. */
export async function startedService(): Promise<{ service: ServiceProcess; end: () => Promise<void> }> {
  const settings = onSeededPGlite()
  const server = inject('postgresFolder')
  const url = server && urlOf(await copyOfPostgres(server))
  const service = new ServiceProcess({ ...settings, ...(url && { SERVICE_DATABASE_URL: url }) })
  await service.start()
  return {
    service,
    end: async () => {
      await service.kill('SIGTERM')
      rmSync(settings.SERVICE_DATA, { recursive: true, force: true })
    },
  }
}
