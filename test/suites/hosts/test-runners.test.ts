import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8')

/** Runs the program of the page in a project of its own, which imports the packed package. */
function runIn(
  files: { readonly [name: string]: string },
  program: string,
  args: readonly string[],
  flags = '',
) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-runner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'examples/tests'), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(
    join(root, 'test/suites/hosts/node_modules/hookgate'),
    join(folder, 'node_modules/hookgate'),
  )
  symlinkSync(
    join(root, 'node_modules/hono'),
    join(folder, 'node_modules/hono'),
  )
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text)
  const env = {
    ...process.env,
    NODE_OPTIONS: flags,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  }
  return new Promise<{
    readonly failed: boolean
    readonly output: string
  }>((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) =>
        resolve({ failed: error !== null, output: stdout + stderr }),
    )
  })
}

/** The block of the page that begins with this comment, e.g. a configuration. */
const blockOf = (name: string) =>
  new RegExp(`\`\`\`js\\n(// ${name}\\n[\\s\\S]*?)\`\`\``).exec(
    page,
  )?.[1] ?? ''

describe('the tests of docs/testing.md', () => {
  it('the tests are shown to the letter', () => {
    for (const name of ['app.mjs', 'webhook.test.mjs'])
      expect(page).toContain(
        `\n${readFileSync(join(root, 'examples/tests', name), 'utf8')}\`\`\``,
      )
  })

  it('the tests pass in Jest 30', { timeout: 60_000 }, async () => {
    const files = {
      'jest.config.mjs': blockOf('jest.config.mjs'),
      'package.json': '{ "type": "module" }',
    }
    const jest = join(
      root,
      'test/suites/hosts/node_modules/jest/bin/jest.js',
    )
    const { failed, output } = await runIn(
      files,
      jest,
      [],
      '--experimental-vm-modules',
    )
    expect(output).toMatch(/Tests:\s+2 passed, 2 total/)
    expect(failed).toBe(false)
  })

  it('the tests pass in Vitest', { timeout: 60_000 }, async () => {
    const files = { 'vitest.config.mjs': blockOf('vitest.config.mjs') }
    const { failed, output } = await runIn(
      files,
      join(root, 'node_modules/vitest/vitest.mjs'),
      ['run'],
    )
    expect(output).toMatch(/Tests\s+2 passed \(2\)/)
    expect(failed).toBe(false)
  })
})
