import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Bytes a record at 1,000,000, three listeners, ids as `randomUUID` gives them; measured in a process of its own. */
export async function measure({ progress }) {
  progress('1,000,000 records')
  const script = fileURLToPath(new URL('./memory-process.mjs', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }))
}
