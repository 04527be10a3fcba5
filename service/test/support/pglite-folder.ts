import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { SECRET } from './subject.ts'

/** The settings of a service on a PGlite with the demo tenant. A new one would take ten times as long to start. */
export function onSeededPGlite(): { readonly SERVICE_DATA: string; readonly SERVICE_SECRET: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-pglite-'))
  const data = join(folder, 'postgres')
  mkdirSync(data)
  execFileSync('tar', ['-xf', inject('pgliteTemplate'), '-C', data], { stdio: 'pipe' })
  return { SERVICE_DATA: folder, SERVICE_SECRET: SECRET }
}
