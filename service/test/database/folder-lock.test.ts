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

it('a folder that a living process has is refused, with the process and the way out', async () => {
  const folder = newFolder()
  const { pid } = await holderOf(folder)
  await expect(lockFolder(folder)).rejects.toThrow(new RegExp(`^Process ${pid} .*SERVICE_DATABASE_URL`))
})

it('what a process left that was killed is taken over', async () => {
  const folder = newFolder()
  const holder = await holderOf(folder)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const unlock = await lockFolder(folder)
  unlock()
})

it('who lets go of it can take it again; until then, even this process is refused', async () => {
  const folder = newFolder()
  const unlock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow(`Process ${process.pid} `)
  unlock()
  const again = await lockFolder(folder)
  again()
})

it.each(['', 'nonsense', `${process.ppid}`])('what the file says is nobody’s lock: %j', async (text) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'lock'), text)
  const unlock = await lockFolder(folder)
  unlock()
})
