import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** This byte is beyond the file's content, because Windows forbids reading locked bytes. */
const LOCKED_BYTE = 1_024

/**
 * Locks a folder for this process, because two processes would corrupt PGlite's files. The operating system releases
 * the lock when the process ends. It also works between containers that share a folder of one machine.
 *
 * @returns A function that releases the lock.
 * @throws Error that names the process that holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const { tryLock } = await import('fs-native-extensions')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const file = openSync(path, 'a', 0o600) // a FileHandle would be closed by garbage collection
  if (!tryLock(file, LOCKED_BYTE, 1)) {
    closeSync(file)
    throw new Error(
      `Process ${readFileSync(path, 'utf8')} (perhaps in another container) uses the data folder ${folder}, and PGlite ` +
        'allows only one process. Stop it, or set SERVICE_DATABASE_URL.',
    )
  }
  ftruncateSync(file)
  writeSync(file, `${process.pid}`)
  return () => closeSync(file)
}
