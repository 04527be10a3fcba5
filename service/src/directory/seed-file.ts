import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Dependencies } from '../http/dependencies.ts'
import { importDirectory } from './import.ts'
import { directorySchema } from './schema.ts'

/** Imports a seed file. @throws Error that tells the operator what is wrong with the file. */
export async function importSeedFile(
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
  path: string,
): Promise<void> {
  const { data: directory, error } = directorySchema.safeParse(await jsonOf(path))
  if (error) throw new Error(`The seed file ${path} is invalid.\n${z.prettifyError(error)}`)
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
