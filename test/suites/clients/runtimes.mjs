import { installRuntimes, RUNTIMES } from '../runtimes/runtimes.mjs'

/** Installs the runtimes whose own clients are tested, and tells the tests where they are. */
export default function setup() {
  installRuntimes(['bun', 'node24'])
  process.env.BUN_BINARY = RUNTIMES.bun.binary
  process.env.NODE24_BINARY = RUNTIMES.node24.binary
}
