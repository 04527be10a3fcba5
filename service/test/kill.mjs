const HELP = `Kills the service again and again under a stream of webhooks, and counts what is lost or there twice.

Usage: node service/test/kill.mjs [options]      (after npm run build && npm run build -w service)

  --engine NAME     pglite or postgres (a server of its own, started and removed here); default pglite
  --kills N         how often a process is killed with SIGKILL (200)
  --senders N       events on their way at once (16)
  --processes N     processes that serve one Postgres (3); PGlite has one
  --help            show this help

Prints its progress to stderr. Exits 1 when an accepted event has not exactly one run and one effect, and prints what its run and its job say.`

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from 'vite'

const whole = (value) => ({ type: 'string', default: String(value) })
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'pglite' },
    kills: whole(200),
    senders: whole(16),
    processes: whole(3),
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
if (!['pglite', 'postgres'].includes(values.engine)) throw new Error('--engine is pglite or postgres')

// Open to the end: modules import others late.
const vite = await createServer({
  configFile: false,
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: null },
})
const load = (path) => vite.ssrLoadModule(new URL(path, import.meta.url).pathname)
const { killService } = await load('./processes/kill-service.ts')
const folder = mkdtempSync(join(tmpdir(), 'hookgate-kill-'))
const settings = { SERVICE_DATA: folder, SERVICE_JOB_LEASE_SECONDS: '2' }
let server
try {
  if (values.engine === 'postgres') {
    const { PostgresServer } = await load('../../test/support/postgres-server.ts')
    server = await PostgresServer.start()
    settings.SERVICE_DATABASE_URL = server.url
  }
  const began = performance.now()
  const elapsed = () => ((performance.now() - began) / 1000).toFixed(0)
  let toldAt = 0
  const progress = (text) => {
    if (performance.now() - toldAt < 10_000) return
    toldAt = performance.now()
    console.error(`${elapsed()} s: ${text}`)
  }
  const { explanations, ...counts } = await killService({
    settings,
    kills: Number(values.kills),
    senders: Number(values.senders),
    processes: values.engine === 'postgres' ? Number(values.processes) : 1,
    progress,
  })
  console.log(`${values.engine}: ${JSON.stringify(counts)} (${elapsed()} s)`)
  for (const explanation of explanations) console.log(explanation)
  process.exitCode = counts.lost + counts.twice > 0 ? 1 : 0
} finally {
  await server?.remove()
  await vite.close()
  rmSync(folder, { recursive: true, force: true })
}
