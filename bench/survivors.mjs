// node bench/survivors.mjs [--framework NAME]… [CHECKOUT…]: the share of new objects that outlive a minor garbage collection, in each framework. What
// belongs to a request should die with it: once a mistake kept 30 % alive, and cost a server half its CPU again. Unlike time, the
// share does not depend on how busy the machine is. CHECKOUT is built; by default this one.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { requestBytes, sendAll } from './http/client.mjs'
import { median } from './rounds.mjs'
import { signedDelivery } from './workload.mjs'

const FRAMEWORKS = ['Express 5', 'Express 4', 'Fastify', 'Hono', 'hookgate/web']
const CONNECTIONS = 16
const ROUNDS = 12
const REQUESTS = 1000
const COLLECTION = /(Scavenge|Mark-Compact) ([\d.]+) \([\d.]+\) -> ([\d.]+)/g

const {
  values: { framework: frameworks = FRAMEWORKS, serve: isServer },
  positionals: [own = fileURLToPath(new URL('..', import.meta.url)), ...others],
} = parseArgs({
  allowPositionals: true,
  options: { framework: { type: 'string', multiple: true }, serve: { type: 'boolean' } },
})
if (isServer) await serve(own, frameworks[0])
else {
  for (const folder of [own, ...others]) {
    for (const name of frameworks) {
      const args = [fileURLToPath(import.meta.url), '--serve', '--framework', name, resolve(folder)]
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      console.log(`${folder} ${name}: ${status === 0 ? `${Math.round(100 * survival(stdout))} %` : 'failed'}`)
    }
  }
}

/** V8 prints each collection of the server on standard output. */
async function serve(folder, name) {
  const { startServer } = await import(pathToFileURL(resolve(folder, 'bench/http/server-process.mjs')).href)
  const server = await startServer(name, 'hookgate', { connections: CONNECTIONS, execArgv: ['--trace-gc'] })
  for (let round = 0; round < ROUNDS; round += 1) {
    const requests = Array.from({ length: REQUESTS }, (_, index) =>
      requestBytes(signedDelivery(1024, round * REQUESTS + index)),
    )
    await sendAll(server.sockets, requests)
  }
  server.stop()
}

/** Of the second half of the minor collections: before, code is compiled and tables grow. */
function survival(trace) {
  const shares = []
  let kept
  for (const [, kind, before, after] of trace.matchAll(COLLECTION)) {
    if (kind === 'Scavenge' && kept !== undefined) shares.push((after - kept) / (before - kept))
    kept = Number(after)
  }
  return median(shares.slice(shares.length / 2))
}
