import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Behind whatever the file says: on Windows nobody else reads a byte that is locked. */
const LOCKED_BYTE = 1_024

/**
 * Takes a folder for this process, since two on the same files of PGlite would destroy them. The lock is the system's: it
 * ends with the process, however that ends, and holds between containers that share the folder of one machine.
 *
 * @returns Lets go of it.
 * @throws Error that says who has it.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const { tryLock } = await import('fs-native-extensions')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const file = openSync(path, 'a', 0o600) // a FileHandle would be closed once nobody refers to it
  if (!tryLock(file, LOCKED_BYTE, 1)) {
    closeSync(file)
    throw new Error(
      `Process ${readFileSync(path, 'utf8')} (of another container, perhaps) has the data folder ${folder}, and PGlite ` +
        'has one process: stop it, or set SERVICE_DATABASE_URL.',
    )
  }
  ftruncateSync(file)
  writeSync(file, `${process.pid}`)
  return () => closeSync(file)
}
