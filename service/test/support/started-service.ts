import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { ServiceProcess } from '../processes/service-process.ts'
import { newDatabase, urlOf } from './copies.ts'

/** A service with the demo tenant in a separate process, on Postgres if available, otherwise on PGlite. */
export async function startedService(): Promise<{ service: ServiceProcess; end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-service-'))
  const server = inject('postgresFolder')
  const url = server && urlOf(await newDatabase(server))
  const service = new ServiceProcess({ SERVICE_DATA: folder, ...(url && { SERVICE_DATABASE_URL: url }) })
  await service.start()
  return {
    service,
    end: async () => {
      await service.kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
