import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly exports: { readonly [subpath: string]: string }
  readonly scripts: { readonly [name: string]: string }
  readonly repository: { readonly url: string }
  readonly bugs: string
  readonly homepage: string
  readonly dependencies: { readonly [name: string]: string }
}

/** The manifest of the repository. */
export const manifest: Manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** `.`, `./jwt`, … : all that a program can import. */
export const subpaths: readonly string[] = Object.keys(manifest.exports).filter(
  (subpath) => !subpath.endsWith('.json'),
)

/** `hookgate`, `hookgate/jwt`, … */
export const specifierOf = (subpath: string): string => `hookgate${subpath.slice(1)}`
