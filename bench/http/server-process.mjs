import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openConnections } from './client.mjs'

/** A process that runs a server of `servers.mjs`, with connections to it. */
export async function startServer(framework, variant, { connections = 0, key, execArgv = [] } = {}) {
  const script = fileURLToPath(new URL('servers.mjs', import.meta.url))
  const env = { ...process.env, NODE_ENV: 'production', ...(key && { BENCH_KEY: key.serialized }) }
  const child = fork(script, [framework, variant], { env, execArgv })
  child.once('exit', (code) => code && process.exit(code))
  const [{ port }] = await once(child, 'message')
  let used = 0
  return {
    variant,
    port,
    sockets: await openConnections(port, connections),
    stop: () => child.disconnect(),
    /** Needs `--expose-gc`. */
    bytesInUse: async () => {
      child.send('memory')
      const [{ bytes }] = await once(child, 'message')
      return bytes
    },
    /** Microseconds of CPU since the last call. */
    cpuUsed: async () => {
      child.send('cpu')
      const [{ cpu }] = await once(child, 'message')
      const before = used
      used = cpu.user + cpu.system
      return used - before
    },
  }
}
