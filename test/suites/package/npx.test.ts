import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it, onTestFinished } from 'vitest'

const SECRET = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'

it('npx runs hookgate doctor in a folder without a project', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'hookgate-npx-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const env = { ...process.env, HOOKGATE_SECRET: SECRET, npm_config_cache: join(cwd, 'cache') }
  const args = ['--yes', `--package=${inject('tarball')}`, 'hookgate', 'doctor', '--offline', '--json']
  const { stdout } = await promisify(execFile)('npx', args, { cwd, env })
  const { ok, findings } = JSON.parse(stdout)
  expect(ok).toBe(true)
  const told = findings.map(({ id, status }: Record<string, string>) => `${id} ${status}`)
  expect(told.slice(0, 3)).toEqual(['runtime ok', 'runtime skip', 'secret.shape ok'])
})
