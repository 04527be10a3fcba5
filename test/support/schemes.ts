/// <reference types="vite/types/importMeta.d.ts" />
import type { Authenticator } from '../../src/index.ts'
import type { Scheme, SchemeOptions } from '../../src/schemes/kit/index.ts'

/** Methods are bivariant: the factory of each scheme is assignable. */
interface Bivariant {
  make(options: SchemeOptions): Authenticator
}

/** A factory that takes any options a vector has. */
export type AnyFactory = Bivariant['make'] & { readonly scheme: Scheme }

/** Vite lists the files, because workerd has no folder to read. */
const FILES = import.meta.glob<{ readonly [factory: string]: AnyFactory }>('../../src/schemes/*.ts')

/** The names of all schemes, from the files themselves. */
export const SCHEME_NAMES: readonly string[] = Object.keys(FILES).map((path) => path.slice(18, -3))

/** The function that `hookgate/schemes/<name>` exports. */
export async function schemeFactory(name: string): Promise<AnyFactory> {
  const factory = (await FILES[`../../src/schemes/${name}.ts`]?.())?.[factoryName(name)]
  if (factory === undefined) throw new Error(`schemes/${name}.ts does not export ${factoryName(name)}`)
  return factory
}

export function factoryName(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
