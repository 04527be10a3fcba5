import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The tarball that `npm publish` would send. */
    tarball: string
    /** A project with hookgate and nothing else. */
    bare: string
    /** A project with hookgate, the frameworks and their types. */
    consumer: string
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

function npm(cwd: string, ...args: readonly string[]): string {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  return execFileSync('npm', [...args, ...quiet], { cwd, encoding: 'utf8' })
}

/** Installs a copy of test/suites/package/consumer, by the lock file that it shares with the tools. */
function installConsumer(folder: string): void {
  for (const file of ['package.json', 'package-lock.json', 'consumer/package.json'])
    cpSync(join(root, 'test/suites/package', file), join(folder, file))
  npm(folder, 'ci', '--workspace=consumer')
}

export default function install(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-package-'))
  const make = (name: 'bare' | 'consumer') => {
    project.provide(name, join(folder, name))
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  const [packed]: [{ filename: string }] = JSON.parse(
    npm(root, 'pack', '--json', '--pack-destination', folder),
  )
  const tarball = join(folder, packed.filename)
  project.provide('tarball', tarball)

  const bare = make('bare')
  writeFileSync(join(bare, 'package.json'), '{ "private": true }')
  npm(bare, 'install', tarball)
  const consumer = make('consumer')
  installConsumer(consumer)
  npm(consumer, 'install', '--no-save', '--workspace=consumer', tarball)
  return () => rmSync(folder, { recursive: true, force: true })
}
