import { readFileSync } from 'node:fs'

const manifest: {
  readonly exports: object
  readonly peerDependencies: object
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The frameworks with an adapter of their own: peers with a subpath of their name. */
export const FRAMEWORKS: readonly string[] = Object.keys(manifest.peerDependencies).filter(
  (name) => `./${name}` in manifest.exports,
)
