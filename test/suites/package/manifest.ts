import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../../..', import.meta.url))

interface Manifest {
  readonly exports: { readonly [subpath: string]: string | null }
  readonly scripts: { readonly [name: string]: string }
  readonly repository: { readonly url: string }
  readonly bugs: string
  readonly homepage: string
  readonly dependencies: { readonly [name: string]: string }
}

/** The repository's package.json. */
export const manifest: Manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The schemes with their own subpath: `stripe`, `github`, … */
export const schemeNames: readonly string[] = readdirSync(`${root}src/schemes`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))

/** Every subpath that a program can import: `.`, `./jwt`, `./schemes/stripe`, … */
export const subpaths: readonly string[] = Object.keys(manifest.exports)
  .filter((subpath) => !subpath.endsWith('.json') && manifest.exports[subpath] !== null)
  .flatMap((subpath) =>
    subpath === './schemes/*' ? schemeNames.map((name) => subpath.replace('*', name)) : [subpath],
  )

/** `hookgate`, `hookgate/jwt`, … */
export const specifierOf = (subpath: string): string => `hookgate${subpath.slice(1)}`
