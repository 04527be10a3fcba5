import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { root } from './manifest.ts'

// Installed with the other runtimes. It exists for Linux on x64 only.
const NODE_18 = join(root, 'test/suites/runtimes/node_modules/node18-linux-x64/bin/node')

/** What a failing program leaves in the terminal. */
async function failure(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(NODE_18, args, { cwd: inject('bare') })
  return run.then(
    () => 'it ran',
    ({ stderr }) => stderr,
  )
}

const NEEDS = 'ListenerConfigError: node: must be 20.19 or newer; this is v18.'

describe.skipIf(!existsSync(NODE_18))('on Node 18, which is too old', () => {
  it.each(['hookgate', 'hookgate/jwt', 'hookgate/web', 'hookgate/schemes/stripe'])(
    'an import of %s says which version it needs',
    async (specifier) => {
      const program = `await import(${JSON.stringify(specifier)})`
      expect(await failure('--input-type=module', '--eval', program)).toContain(NEEDS)
    },
  )

  it.each([['--help'], ['secret'], ['listen']])('hookgate %s says so too', async (command) => {
    expect(await failure('node_modules/hookgate/dist/cli/main.js', command)).toContain(NEEDS)
  })
})
