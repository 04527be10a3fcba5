import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Bytes per record up to 1,000,000 records, and the slowest claim up to 100,000, with three listeners and random IDs, in a separate
 * process.
 */
export async function measure({ progress }) {
  progress('1,000,000 records')
  const script = fileURLToPath(new URL('./memory-process.mjs', import.meta.url))
  const { rows, slowestClaim } = JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }),
  )
  return [{ ...rows[0], slowestClaim }, ...rows.slice(1)]
}
