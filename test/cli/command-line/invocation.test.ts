import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { invocationOf } from '../../../cli/command-line/invocation.ts'
import { MAIN, ROOT, run, SECRET, startListener, temporaryDirectory } from '../support.ts'

const plain = { runtime: '/usr/bin/node', cwd: '/home/me/app', searched: '/usr/local/bin:/usr/bin' }

describe('the command that is printed', () => {
  test.each([
    ['a link on the PATH', '/usr/local/bin/hookgate', 'hookgate'],
    ['a link elsewhere', '/opt/tools/hookgate', '/opt/tools/hookgate'],
    ['a link of this folder', '/home/me/app/hookgate', './hookgate'],
    ['npx in a project', '/home/me/app/node_modules/.bin/hookgate', 'node_modules/.bin/hookgate'],
    [
      "npx's own folder",
      '/home/me/.npm/_npx/1a/node_modules/.bin/hookgate',
      '/home/me/.npm/_npx/1a/node_modules/.bin/hookgate',
    ],
    ['the file itself', '/home/me/app/dist/cli/main.js', 'node dist/cli/main.js'],
    [
      'the file itself, from elsewhere',
      '/srv/hookgate/dist/cli/main.js',
      'node /srv/hookgate/dist/cli/main.js',
    ],
    ['a folder with a space', '/srv/my tools/hookgate', "'/srv/my tools/hookgate'"],
  ])('a command started by %s is printed as it was started', (_, script, expected) => {
    expect(invocationOf({ ...plain, script })).toBe(expected)
  })

  test('a command started by npx, which puts its folder on the PATH, is still printed with its path', () => {
    const script = '/home/me/app/node_modules/.bin/hookgate'
    const searched = `/home/me/app/node_modules/.bin:${plain.searched}`
    expect(invocationOf({ ...plain, script, searched })).toBe('node_modules/.bin/hookgate')
  })
})

test('the command that a clone prints runs as it is', async () => {
  const listener = await startListener([], { cwd: ROOT })
  expect(listener.command).toMatch(/^HOOKGATE_SECRET=\S+ node dist\/cli\/main\.js send http/)
  const sent = await run('sh', ['-c', listener.command], { cwd: ROOT })
  expect(sent.stdout).toMatch(/^200 /)
})

test('a command started by a link on the PATH prints the name of the link, which runs as it is', async () => {
  const bin = await temporaryDirectory()
  await symlink(MAIN, join(bin, 'hookgate'))
  const env = { PATH: `${bin}:${process.env.PATH}`, HOOKGATE_SECRET: SECRET }
  const listener = await startListener([], { env, cwd: bin, main: join(bin, 'hookgate') })
  expect(listener.command).toBe(`hookgate send ${listener.url} --data '{"hello":"world"}'`)
  expect((await run('sh', ['-c', listener.command], { env, cwd: bin })).stdout).toMatch(/^200 /)
})

test('a command started by npx in a project prints the path of the link, which runs without the PATH of npx', async () => {
  const project = await temporaryDirectory()
  const bin = join(project, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  await symlink(MAIN, join(bin, 'hookgate'))
  const env = { PATH: `${bin}:${process.env.PATH}`, HOOKGATE_SECRET: SECRET }
  const listener = await startListener([], { env, cwd: project, main: join(bin, 'hookgate') })
  const inOtherTerminal = { env: { HOOKGATE_SECRET: SECRET }, cwd: project }
  expect(listener.command).toMatch(/^node_modules\/\.bin\/hookgate send /)
  expect((await run('sh', ['-c', listener.command], inOtherTerminal)).stdout).toMatch(/^200 /)
})
