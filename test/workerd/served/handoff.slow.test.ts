import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { killsOf } from '../../support/kills.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'

// `npm run test:handoff` kills 50 times at each moment. test/kills.md has its result.
const ROUNDS = killsOf('cloudflareQueues') / 3
const SERVE = fileURLToPath(new URL('./serve-handoff.mjs', import.meta.url))
const SECRET = 'handoff-0123456789-abcdefghijklmnop'

/** How often an event's job runs if its receiver is killed at this moment. Cloudflare Queues drops no duplicates. */
const RUNS = { 'before the enqueue': 1, 'between enqueue and commit': 2, 'after the commit': 1 }

async function serve(options: object) {
  const child = spawn(process.execPath, [SERVE, JSON.stringify({ secret: SECRET, ...options })], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let running = true
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
    running = false
  })
  const kill = async () => {
    if (running && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await gone
  }
  onTestFinished(kill)
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  }
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
    })
  }
  await expect.poll(() => printed).toMatch(/listens at \S+/)
  const url = /listens at (\S+)/.exec(printed)?.[1] ?? ''
  return { url, kill, gone, signal, runsOf: (id: string) => printed.split(`${id} {"a": 1.0}`).length - 1 }
}

/** One attempt of the sender, with a new signature. Its status, or 0 if the receiver died. */
async function attempt(url: string, eventId: string): Promise<number> {
  const signed = await signHmac({ secret: SECRET, body: '{"a": 1.0}', eventId })
  const answer = fetch(url, { ...signed, signal: AbortSignal.timeout(10_000) })
  return answer.then(({ status }) => status).catch(() => 0)
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-handoff-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(WHY_NO_WORKERD)(inWorkerd('the hand-off to Cloudflare Queues, in workerd'), () => {
  it('the Worker runs the job of a verified event with its exact bytes, and refuses the duplicate', {
    timeout: 60_000,
  }, async () => {
    const { url, runsOf } = await serve({})
    const eventId = randomUUID()
    expect(await attempt(url, eventId)).toBe(200)
    expect(await attempt(url, eventId)).toBe(409)
    await expect.poll(() => runsOf(eventId)).toBe(1)
  })

  it('the Worker answers 500 when the queue refuses the job, and the next attempt enqueues it', {
    timeout: 60_000,
  }, async () => {
    const { url, runsOf } = await serve({ refusing: true })
    const eventId = randomUUID()
    expect(await attempt(url, eventId)).toBe(500)
    // The event was released. Otherwise the answer would be 503 until the lease ends, in a minute.
    expect(await attempt(url, eventId)).toBe(200)
    await expect.poll(() => runsOf(eventId)).toBe(1)
  })

  it('the Worker answers 500 within 3 s while the queue hangs, and the next attempt enqueues the job', {
    timeout: 60_000,
  }, async () => {
    const registry = await temporaryFolder()
    const worker = await serve({ registry, part: 'worker' })
    const { url } = await serve({ registry, part: 'receiver' })
    const [before, during] = [randomUUID(), randomUUID()]
    await expect.poll(() => attempt(url, before)).toBe(200)
    await expect.poll(() => worker.runsOf(before)).toBeGreaterThan(0)

    worker.signal('SIGSTOP')
    expect(await attempt(url, during)).toBe(500) // it does not wait for the worker
    worker.signal('SIGCONT')

    // Released, as above.
    await expect.poll(() => attempt(url, during)).toBe(200)
    await expect.poll(() => worker.runsOf(during)).toBeGreaterThan(0)
  })

  it(`${ROUNDS} kills at each of three moments lose nothing, and a job runs twice if the queue keeps the duplicate`, {
    timeout: 60_000 + ROUNDS * 60_000,
  }, async () => {
    const [folder, registry] = [await temporaryFolder(), await temporaryFolder()]
    const worker = await serve({ registry, part: 'worker' })
    const receiver = (doomed: object) => serve({ registry, folder, part: 'receiver', ...doomed })
    const killed: { readonly eventId: string; readonly runs: number }[] = []
    const finish = async (url: string) => {
      const eventId = killed.at(-1)?.eventId
      if (eventId === undefined) return
      await expect.poll(() => attempt(url, eventId)).toBeOneOf([200, 409])
      expect(await attempt(url, eventId)).toBe(409)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [moment, runs] of Object.entries(RUNS)) {
        const eventId = randomUUID()
        const { url, gone } = await receiver({ doomed: eventId, moment })
        await finish(url)
        expect(await attempt(url, eventId)).toBe(0)
        await gone
        killed.push({ eventId, runs })
      }
    }
    await finish((await receiver({})).url)
    for (const { eventId, runs } of killed) await expect.poll(() => worker.runsOf(eventId)).toBe(runs)
    console.log(`Cloudflare Queues: ${killed.length} kills, 0 lost, ${ROUNDS} twice`)
  })
})
