import { fork } from 'node:child_process'
import type { TcpNetConnectOpts } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { Log } from '../support/log.ts'
import { exchange, headOf, RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { type RunningServer, TARGETS } from '../support/servers.ts'

const MB = 1_048_576
/** The limit that GitHub, GitLab and DocuSign need. */
const MAX_BODY_BYTES = 25 * MB
const IDLE = 1200
const PER_REPORT = 100
/** The excess of the crowd is cut. */
const MOST_BODIES = 1000

const endpoint = () => hmacEndpoint({ maxBodyBytes: MAX_BODY_BYTES })

/** Idle senders in a process of their own. Each announces 25 MB, sends one byte, and stays. Logs every hundred. */
function idleCrowd({ address }: RunningServer, request: RawRequest): Log<string> {
  const script = fileURLToPath(new URL('../support/idle-crowd.mjs', import.meta.url))
  const child = fork(script, [`${(address as TcpNetConnectOpts).port}`, `${IDLE}`], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill())
  const log = new Log<string>()
  child.on('message', () => log.add('a hundred more'))
  child.stdin?.end(headOf(request, [['Content-Length', `${MAX_BODY_BYTES}`]]))
  return log
}

/** Express 4 and node:http have the adapter of Express 5, and each run takes a quarter of a minute. */
const DISTINCT = Object.entries(TARGETS).filter(([name]) => !['Express 4', 'node:http'].includes(name))

it.each(DISTINCT)(
  '1,200 idle senders on %s that announce 25 MB take no room from genuine deliveries, not even from slow ones',
  async (_, start) => {
    const { listener, request, failures } = endpoint()
    const server = await start({
      target: listener,
      listener,
      options: { bodyTimeoutSeconds: 600, maxConcurrentBodies: MOST_BODIES },
    })
    const large = async () => toBytes(await request({ body: `"${'x'.repeat(MAX_BODY_BYTES - 2)}"` }))
    const statuses: unknown[] = []
    const send = async (bytes: Uint8Array) => {
      statuses.push((await exchange(server.address, bytes))?.status)
    }

    // A part of the slow body for each hundred idle senders, and a small delivery for every third.
    const slow = new RawConnection(server.address)
    const bytes = await large()
    const reports = IDLE / PER_REPORT
    const partBytes = Math.ceil(bytes.byteLength / (reports + 1))
    await slow.write(bytes.subarray(0, partBytes))
    const crowd = idleCrowd(server, await request())
    for (let report = 1; report <= reports; report += 1) {
      await crowd.reaches(report)
      await slow.write(bytes.subarray(report * partBytes, (report + 1) * partBytes))
      if (report % 3 === 0) await send(toBytes(await request()))
    }
    expect((await slow.reply())?.status).toBe(200)
    await send(await large())
    expect(statuses).toEqual(Array.from({ length: 5 }, () => 200))
    await failures.reaches(IDLE - MOST_BODIES)
  },
  180_000,
)
