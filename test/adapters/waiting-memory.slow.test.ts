import { fork } from 'node:child_process'
import type { TcpNetConnectOpts } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { defineListener } from '../../src/index.ts'
import { jwt, remoteKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hanging, keyHost } from '../support/key-host.ts'
import { Log } from '../support/log.ts'
import { type RawRequest, toBytes } from '../support/raw-http.ts'
import { AUDIENCE, jwtEndpoint, SUBJECT } from '../support/sender.ts'
import { TARGETS } from '../support/servers.ts'

const SENDERS = 400
const LIMIT = 20
const BODY_BYTES = 65_536
/** Three times the size of the bodies, plus the garbage of refused requests. */
const MOST_GROWTH_BYTES = LIMIT * BODY_BYTES * 3 + 8_000_000

const TEXT = JSON.stringify('x'.repeat(BODY_BYTES - 2))
/** Parsed, it takes 28 times its bytes. */
const NESTED = '['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function liveBytes(): Promise<number> {
  // Closed connections release their memory in later turns.
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** In a process of its own, so that its memory does not count. Logs each connection that is over. */
function crowd(port: number, request: RawRequest, manner: 'stay' | 'leave'): Log<string> {
  const script = fileURLToPath(new URL('../support/crowd.mjs', import.meta.url))
  const child = fork(script, [`${port}`, `${SENDERS}`, manner], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill())
  const over = new Log<string>()
  child.on('message', () => over.add('over'))
  child.stdin?.end(toBytes(request))
  return over
}

/** The growth of live memory while many requests wait for a key host that never answers. */
async function growth(
  start: (typeof TARGETS)[string],
  manner: 'stay' | 'leave',
  body: string,
): Promise<number> {
  const { request } = await jwtEndpoint()
  const { url } = await keyHost(hanging)
  const keySet = remoteKeySet(url, { allowInsecureLoopback: true, timeoutSeconds: 600 })
  const auth = jwt({ keySet, subject: SUBJECT, audience: AUDIENCE })
  const { clock } = await jwtEndpoint()
  const listener = defineListener({ id: 'L1', auth, clock, store: memoryStore({ clock }) })
  const { address } = await start({
    target: listener,
    options: { maxConcurrentBodies: LIMIT, bodyTimeoutSeconds: 600 },
  })
  const before = await liveBytes()
  const over = crowd((address as TcpNetConnectOpts).port, await request({ body }), manner)
  await over.reaches(manner === 'stay' ? SENDERS - LIMIT : SENDERS)
  return (await liveBytes()) - before
}

it.each(Object.entries(TARGETS))(
  'many forged tokens on %s take no more memory than maxConcurrentBodies while the key host hangs',
  async (_, start) => {
    expect(await growth(start, 'stay', NESTED)).toBeLessThan(MOST_GROWTH_BYTES)
  },
)

it.each(Object.entries(TARGETS))(
  'senders on %s that leave while their verdict waits keep their places',
  async (_, start) => {
    expect(await growth(start, 'leave', TEXT)).toBeLessThan(MOST_GROWTH_BYTES)
  },
)
