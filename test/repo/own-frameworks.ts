import { readFileSync } from 'node:fs'

const manifest: {
  readonly exports: object
  readonly peerDependencies: object
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The frameworks with their own adapter: peers with a subpath of the same name. */
export const FRAMEWORKS: readonly string[] = Object.keys(manifest.peerDependencies).filter(
  (name) => `./${name}` in manifest.exports,
)
