import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Dependencies } from '../http/dependencies.ts'
import { importDirectory } from './import.ts'
import { directorySchema } from './schema.ts'

/** Imports a file at the start. @throws Error that says what is wrong with it, in the operator's words. */
export async function importSeedFile(
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
  path: string,
): Promise<void> {
  const { data: directory, error } = directorySchema.safeParse(await jsonOf(path))
  if (error) throw new Error(`The seed file ${path} is wrong.\n${z.prettifyError(error)}`)
  await database.transaction((tx) => importDirectory(tx, directory, { clock }))
}

async function jsonOf(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`The seed file ${path} cannot be read: ${error.code}.`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`The seed file ${path} is not JSON.`)
  }
}
