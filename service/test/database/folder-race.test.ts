import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const HOLDER = fileURLToPath(new URL('folder-holder.mjs', import.meta.url))
/** The built file, because Node 20 cannot run TypeScript. */
const { href: LOCK } = new URL('../../dist/database/folder-lock.js', import.meta.url)
const [CONTENDERS, ROUNDS] = [6, 12]

/** Processes that each try to take the folder on demand, and hold it until they are killed. */
class Holders {
  readonly #folder: string
  readonly #alive = new Set<ChildProcess>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async start(): Promise<ChildProcess> {
    const child = fork(HOLDER, [LOCK, this.#folder])
    this.#alive.add(child)
    await once(child, 'message')
    return child
  }

  async kill(child: ChildProcess): Promise<void> {
    this.#alive.delete(child)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  killAll = () => Promise.all([...this.#alive].map((child) => this.kill(child)))
}

async function takes(child: ChildProcess): Promise<boolean> {
  const answer = once(child, 'message')
  child.send('take it')
  const [said]: unknown[] = await answer
  return said === 'mine'
}

it('one of several racing processes takes the folder of a killed process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-lock-race-'))
  const holders = new Holders(folder)
  onTestFinished(async () => {
    await holders.killAll()
    rmSync(folder, { recursive: true })
  })
  let holder = await holders.start()
  expect(await takes(holder)).toBe(true)
  for (let round = 1; round <= ROUNDS; round += 1) {
    const contenders = await Promise.all(Array.from({ length: CONTENDERS }, () => holders.start()))
    expect(await Promise.all(contenders.map(takes))).toEqual(contenders.map(() => false))
    await holders.kill(holder)
    const took = await Promise.all(contenders.map(takes))
    const [winner, ...others] = contenders.filter((_, index) => took[index])
    expect([round, others.length, winner?.connected]).toEqual([round, 0, true])
    await Promise.all(contenders.filter((each) => each !== winner).map((each) => holders.kill(each)))
    holder = winner ?? holder
  }
}, 120_000)
