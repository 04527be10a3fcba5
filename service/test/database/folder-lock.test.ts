import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lockFolder } from '../../src/database/folder-lock.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A process that does nothing, and has the folder. */
function holderOf(folder: string) {
  const holder = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' })
  onTestFinished(() => void holder.kill('SIGKILL'))
  writeFileSync(join(folder, 'lock'), `${holder.pid}`)
  return holder
}

it('a folder that a living process has is refused, with the process and the way out', async () => {
  const folder = newFolder()
  const { pid } = holderOf(folder)
  await expect(lockFolder(folder)).rejects.toThrow(new RegExp(`^Process ${pid} .*SERVICE_DATABASE_URL`))
  expect(readdirSync(folder)).toStrictEqual(['lock'])
})

it('what a process left that was killed is taken over', async () => {
  const folder = newFolder()
  const holder = holderOf(folder)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const unlock = await lockFolder(folder)
  await unlock()
  expect(readdirSync(folder)).toStrictEqual([])
})

it.each(['', 'nonsense', '0', '-1'])('a lock that says %j is nobody’s', async (text) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'lock'), text)
  await (await lockFolder(folder))()
})
