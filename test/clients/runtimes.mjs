import { installRuntimes, RUNTIMES } from '../runtimes/runtimes.mjs'

/** Before the tests: the runtimes whose own clients are tested, and where they are. */
export default function setup() {
  installRuntimes(['bun', 'node24'])
  process.env.BUN_BINARY = RUNTIMES.bun.binary
  process.env.NODE24_BINARY = RUNTIMES.node24.binary
}
