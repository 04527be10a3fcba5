import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Takes a folder for this process, since two on the same files of PGlite would destroy them. What a process left that has
 * died is taken over. Only processes of this machine see one another.
 *
 * @returns Lets go of it.
 * @throws Error that says who has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'lock')
  const draft = `${file}.${randomUUID()}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, `${process.pid}`)
  try {
    while (!(await linked(draft, file))) await unlinkOfDead(file, folder)
  } finally {
    await unlink(draft)
  }
  return () => unlink(file)
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EEXIST') return false
    throw error
  }
}

async function unlinkOfDead(file: string, folder: string): Promise<void> {
  const holder = Number(await readFile(file, 'utf8').catch(() => ''))
  if (holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Process ${holder} has the data folder ${folder}, and PGlite has one process: stop it, or set SERVICE_DATABASE_URL.`,
    )
  }
  await unlink(file).catch(() => {})
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM' // of another user
  }
}
