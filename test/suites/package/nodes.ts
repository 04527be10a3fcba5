import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './manifest.ts'

interface Node {
  readonly version: string
  readonly binary: string
}

/** Installed to be refused (old-node.test.ts). */
const REFUSED = /^node(18|21|22\.11)-/

/** The versions of Node that `npm run test:runtimes` has installed. */
const packages = join(root, 'test/suites/runtimes/node_modules')
const installed = (existsSync(packages) ? readdirSync(packages) : [])
  .filter((name) => !REFUSED.test(name))
  .map((name) => join(packages, name, 'bin/node'))
  .filter((binary) => existsSync(binary))

function nodeAt(binary: string): Node {
  return { binary, version: execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().slice(1) }
}

const all = [process.execPath, ...installed].map(nodeAt)

/** This Node, and every other installed one. */
export const nodes: readonly Node[] = all.filter(
  ({ version }, index) => all.findIndex((other) => other.version === version) === index,
)
