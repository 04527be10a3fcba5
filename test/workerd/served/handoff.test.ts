import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { WORKERD_MISSING } from '../project.ts'

const SERVE = fileURLToPath(new URL('./serve-handoff.mjs', import.meta.url))
const SECRET = 'handoff-0123456789-abcdefghijklmnop'

async function startWorker() {
  const child = spawn(process.execPath, [SERVE, SECRET], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await gone
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
    })
  }
  await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/listens at \S+/)
  return { url: /listens at (\S+)/.exec(printed)?.[1] ?? '', printed: () => printed }
}

describe.skipIf(WORKERD_MISSING)('the hand-off to Cloudflare Queues, in workerd', () => {
  it('runs the job of a verified event with its exact bytes, and refuses the duplicate', {
    timeout: 60_000,
  }, async () => {
    const { url, printed } = await startWorker()
    const eventId = randomUUID()
    const deliver = async () => {
      const signed = await signHmac({ secret: SECRET, body: '{"a": 1.0}', eventId })
      return (await fetch(url, signed)).status
    }
    expect(await deliver()).toBe(200)
    expect(await deliver()).toBe(409)
    await expect.poll(printed, { timeout: 20_000 }).toContain(`${eventId} {"a": 1.0}`)
    expect(printed().split(eventId)).toHaveLength(2)
  })
})
