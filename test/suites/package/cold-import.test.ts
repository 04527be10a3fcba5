import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { root } from './manifest.ts'
import { nodes } from './nodes.ts'

const MEASURE = join(root, 'bench/cold-import.mjs')
const on24 = nodes.filter(({ version }) => version.startsWith('24.'))

// Guards the bundling: from 30 files an import took 2.02 times as long. The bench has the figures.
// `npm install --no-save --prefix test/suites/runtimes` installs Node 24.
it.skipIf(on24.length === 0)(
  'a cold import on Node 24 takes at most 1.8 times as long as that of an empty module',
  // On a busy machine, a process that loads more files loses more time. One quiet measurement is enough.
  { retry: 2 },
  async () => {
    for (const { binary } of on24) {
      const args = [MEASURE, '--json', '--node', binary, '--folder', inject('bare')]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const { hookgate } = JSON.parse(stdout)
      expect(hookgate).toBeGreaterThan(1)
      expect(hookgate).toBeLessThanOrEqual(1.8)
    }
  },
)
