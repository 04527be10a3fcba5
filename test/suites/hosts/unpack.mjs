// Unpacks the package as it would be published where the programs of this folder find it by its name.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const target = fileURLToPath(new URL('node_modules/hookgate', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'hookgate-hosts-'))
try {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }))
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
