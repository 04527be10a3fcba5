import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Authenticator } from '../../src/index.ts'
import type { Scheme, SchemeOptions } from '../../src/scheme/index.ts'

const FOLDER = new URL('../../schemes/', import.meta.url)

/** A factory as a test calls it: with whatever its vectors say. */
export type AnyFactory = ((options: SchemeOptions) => Authenticator) & { readonly scheme: Scheme }

/** The names of all schemes, from the files themselves. */
export const SCHEME_NAMES: readonly string[] = readdirSync(fileURLToPath(FOLDER))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))

/** The function that `hookgate/schemes/<name>` exports. */
export async function schemeFactory(name: string): Promise<AnyFactory> {
  const module: { readonly [factory: string]: AnyFactory } = await import(`../../schemes/${name}.ts`)
  const factory = module[factoryName(name)]
  if (factory === undefined) throw new Error(`schemes/${name}.ts does not export ${factoryName(name)}`)
  return factory
}

export function factoryName(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
