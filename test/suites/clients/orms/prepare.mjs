// Lets the programs of this folder find the package by its name, makes Prisma's clients, version 7's here and version 6's for the
// same program in prisma6, without the engines that Prisma would download, and compiles the programs for processes of Node.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const env = {
  ...process.env,
  CHECKPOINT_DISABLE: '1',
  PRISMA_QUERY_ENGINE_LIBRARY: '/bin/true',
  PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
}

copyFileSync(at('prisma.ts'), at('prisma6/prisma.ts'))
for (const folder of ['.', 'prisma6']) {
  const cwd = at(folder)
  const package_ = at(`${folder}/node_modules/hookgate`)
  rmSync(package_, { force: true, recursive: true })
  symlinkSync(at('../../../..'), package_, 'junction')
  execFileSync('node_modules/.bin/prisma', ['generate', '--schema', 'prisma.prisma'], {
    cwd,
    env,
    stdio: 'pipe',
  })
  execFileSync(at('../../../../node_modules/.bin/tsc'), ['-p', '.'], { cwd, stdio: 'inherit' })
}
