import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const example = fileURLToPath(new URL('../../../examples/openapi', import.meta.url))
const generator = fileURLToPath(new URL('node_modules/@hey-api/openapi-ts/bin/run.js', import.meta.url))

it("the generator of docs/types.md makes the example's schemas of its document, offline", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-openapi-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['webhooks.json', 'openapi-ts.config.mjs'])
    cpSync(join(example, name), join(folder, name))
  const args = [generator, '-f', 'openapi-ts.config.mjs']
  await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 60_000 })
  const made = readFileSync(join(folder, 'generated/zod.gen.ts'), 'utf8')
  expect(readFileSync(join(example, 'generated/zod.gen.ts'), 'utf8')).toBe(made)
})
