import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killAfterExit } from './kill-after-exit.ts'
import type { RedisServer } from './redis-server.ts'

export interface RedisSentinel {
  readonly port: number
  close(): Promise<void>
}

/** The name by which clients ask a Sentinel for the primary. */
export const SENTINEL_NAME = 'events'

/** A single Sentinel, which is its own majority. It fails over when the primary has been silent for half a second. */
export async function startSentinel(primary: RedisServer): Promise<RedisSentinel> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-sentinel-'))
  const port = await freePort()
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `pidfile ${join(folder, 'pid')}`,
    `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primary.port} 1`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} 500`,
    `sentinel failover-timeout ${SENTINEL_NAME} 3000`,
  ]
  writeFileSync(join(folder, 'sentinel.conf'), settings.join('\n'))
  const child = spawn('redis-server', ['sentinel.conf', '--sentinel'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const guard = killAfterExit(folder)
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
      // It must know a replica before it can promote one.
      if (printed.includes('+slave slave')) resolve()
    })
    child.once('exit', () => reject(new Error(`the Sentinel ended: ${printed}`)))
  })
  return {
    port,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      guard.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo // a TCP port, because that was requested
  holder.close()
  await once(holder, 'close')
  return port
}
