import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { root } from './manifest.ts'

// Installed with the other runtimes. They exist for Linux on x64 only.
const nodeAt = (version: string) =>
  join(root, `test/suites/runtimes/node_modules/node${version}-linux-x64/bin/node`)

/** What a program leaves in the terminal, whether it fails or not. */
async function said(version: string, ...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(nodeAt(version), args, { cwd: inject('bare') })
  return run.then(
    () => 'it ran',
    ({ stdout, stderr }) => stdout + stderr,
  )
}

const NEEDS = 'ListenerConfigError: node: must be 20.19, or 22.12 or newer; this is v18.'

describe.skipIf(!existsSync(nodeAt('18')))('on Node 18, which is too old', () => {
  it.each(['hookgate', 'hookgate/jwt', 'hookgate/web', 'hookgate/schemes/stripe'])(
    'an import of %s says which version it needs',
    async (specifier) => {
      const program = `await import(${JSON.stringify(specifier)})`
      expect(await said('18', '--input-type=module', '--eval', program)).toContain(NEEDS)
    },
  )

  it.each([['--help'], ['secret'], ['listen']])('hookgate %s says so too', async (command) => {
    expect(await said('18', 'node_modules/hookgate/dist/cli/main.js', command)).toContain(NEEDS)
  })
})

describe.each(['21', '22.11'])('on Node %s, whose require() loads no ES module', (version) => {
  it.skipIf(!existsSync(nodeAt(version)))('require fails, and hookgate doctor says why', async () => {
    expect(await said(version, '--eval', "require('hookgate')")).toContain('ERR_REQUIRE_ESM')
    const doctor = ['node_modules/hookgate/dist/cli/main.js', 'doctor', '--store', 'sqlite:gone.db']
    const found = await said(version, ...doctor)
    expect(found).toContain(`Node ${version}`)
    expect(found).toContain('is not supported: its require() loads no ES module')
    expect(found).toContain('install Node 22.12 or newer')
    expect(found).not.toContain('npm ci')
  })
})
