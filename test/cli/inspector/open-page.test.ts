import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openerOf } from '../../../cli/inspector/open-page.ts'
import { hookgate } from '../support.ts'
import { SECRET, startInspector } from './support.ts'

/**
 * A folder for PATH. If a script is given, it holds an `xdg-open` that writes its arguments to `asked`, one per line.
 */
async function pathWith(script?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-open-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  if (script !== undefined) {
    const file = join(folder, 'xdg-open')
    await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/asked'\n${script}\n`)
    await chmod(file, 0o755)
  }
  return folder
}

const openWith = (PATH: string, ...args: string[]) =>
  startInspector(['--open', ...args], { HOOKGATE_SECRET: SECRET, PATH })

describe.skipIf(process.platform !== 'linux')(
  'listen --ui --open, on Linux: the stand-in for a browser is a script',
  () => {
    it('--open passes the whole printed address to xdg-open as its only argument', async () => {
      const path = await pathWith('')
      const { address } = await openWith(path)
      await expect.poll(() => readFile(join(path, 'asked'), 'utf8').catch(() => '')).toBe(`${address}\n`)
    })

    it.each([
      ['is not there', undefined, 'ENOENT'],
      ['fails', 'exit 3', 'exit code 3'],
    ])('--open says so when xdg-open %s, and still listens', async (_, script, why) => {
      const { listener, ask } = await openWith(await pathWith(script))
      await listener.stderr.waitFor(new RegExp(`xdg-open could not open a browser \\(${why}\\)`))
      expect((await ask('export.ndjson')).status).toBe(200)
      expect(listener.stderr.text).not.toContain('#')
    })

    it('--open opens nothing unless it is asked to', async () => {
      const path = await pathWith('')
      const { ask } = await startInspector([], { HOOKGATE_SECRET: SECRET, PATH: path })
      await ask('export.ndjson')
      await expect(readFile(join(path, 'asked'))).rejects.toThrow('ENOENT')
    })
  },
)

it('--open without a page is a mistake', async () => {
  const { code, stderr } = await hookgate(['listen', '--port', '0', '--open', '--record', 'unused.ndjson'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--open is for the inspector: add --ui')])
})

it.each([
  ['darwin', 'open', ['http://a/#b&c']],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', 'http://a/#b&c']],
  ['linux', 'xdg-open', ['http://a/#b&c']],
  ['freebsd', 'xdg-open', ['http://a/#b&c']],
] as const)('the browser is opened on %s by %s, which is no shell', (platform, command, args) => {
  expect(openerOf(platform, 'http://a/#b&c')).toEqual([command, args])
})
