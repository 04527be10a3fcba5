import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { lockFolder } from '../../src/database/folder-lock.ts'

const HOLDER = fileURLToPath(new URL('folder-holder.mjs', import.meta.url))
/** The built file, because Node 20 cannot run TypeScript. */
const { href: LOCK } = new URL('../../dist/database/folder-lock.js', import.meta.url)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A process that holds the folder. */
async function holderOf(folder: string) {
  const holder = fork(HOLDER, [LOCK, folder])
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder, 'message')
  holder.send('take it')
  expect(await once(holder, 'message')).toContain('mine')
  return holder
}

it('a folder that a live process holds is refused, naming the process and the fix', async () => {
  const folder = newFolder()
  const { pid } = await holderOf(folder)
  await expect(lockFolder(folder)).rejects.toThrow(new RegExp(`^Process ${pid} .*SERVICE_DATABASE_URL`))
})

it('the folder of a killed process is taken over', async () => {
  const folder = newFolder()
  const holder = await holderOf(folder)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const unlock = await lockFolder(folder)
  unlock()
})

it('a folder is refused even to its own process until it is released', async () => {
  const folder = newFolder()
  const unlock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow(`Process ${process.pid} `)
  unlock()
  const again = await lockFolder(folder)
  again()
})

it.each(['', 'nonsense', `${process.ppid}`])(
  'a lock file that names no live process is taken over: %j',
  async (text) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'lock'), text)
    const unlock = await lockFolder(folder)
    unlock()
  },
)
