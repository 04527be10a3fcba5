// node bench/puts.mjs DIST [ROUNDS]: pairs the puts of this build with those of another one, whose `dist` is in that folder, on one Postgres
// with fsync and synchronous_commit on.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { runnerImport } from 'vite'
import { median, shuffled } from './rounds.mjs'

const SECRET = 'a-secret-of-the-bench-32-characters'
const [EVENTS, AT_ONCE] = [800, 10]
const [, , other, rounds = '5'] = process.argv
if (other === undefined) throw new Error('node bench/puts.mjs DIST [ROUNDS]')

const path = new URL('../test/support/postgres-server.ts', import.meta.url).pathname
const { PostgresServer } = (await runnerImport(path)).module
const server = await PostgresServer.start('fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB')
const observer = new pg.Client(server.address)
await observer.connect()

async function open(name, dist) {
  const build = (module) => import(pathToFileURL(resolve(dist, 'src', module, 'index.js')).href)
  const [{ inbox }, { defineListener, hmac, verify }, testing] = await Promise.all(
    ['inbox', '.', 'testing'].map(build),
  )
  const pool = new pg.Pool({ ...server.address, max: AT_ONCE })
  let statements = 0
  const query = (text, values) => {
    statements += 1
    return pool.query(text, values)
  }
  const box = inbox({ query }, { table: `inbox_${name}` })
  await box.migrate()
  const listener = defineListener({
    ...{ id: 'bench', auth: hmac({ secrets: SECRET }), store: box.store, onError: null },
    storeTimeoutSeconds: 60, // a busy machine is no failure
  })
  const delivery = async () =>
    testing.toDelivery(await testing.signHmac({ secret: SECRET, body: '{"type":"order.paid","total":1250}' }))
  async function round() {
    const deliveries = await Promise.all(Array.from({ length: EVENTS }, delivery))
    const [walBefore, start] = [await written(), performance.now()]
    statements = 0
    const lane = async () => {
      for (let next = deliveries.pop(); next; next = deliveries.pop()) {
        const { event } = await verify(next, listener)
        await box.put(event)
        await event.commit()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const ms = (performance.now() - start) / EVENTS
    return { ms, wal: ((await written()) - walBefore) / EVENTS, statements: statements / EVENTS }
  }
  return { name, round, rounds: [], close: () => pool.end() }
}

/** The bytes of WAL that the server has written so far. */
async function written() {
  const { rows } = await observer.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`)
  return Number(rows[0].bytes)
}

const subjects = [
  await open('other', other),
  await open('this', new URL('../dist', import.meta.url).pathname),
]
for (let round = 0; round <= Number(rounds); round += 1) {
  for (const subject of shuffled(subjects)) {
    const measured = await subject.round()
    if (round > 0) subject.rounds.push(measured) // until the code is compiled, and the tables have pages
  }
}
const [before] = subjects
for (const { name, rounds: measured } of subjects) {
  const of = (member) => median(measured.map((each) => each[member])).toFixed(2)
  const ratio = median(measured.map(({ ms }, round) => ms / before.rounds[round].ms)).toFixed(2)
  console.log(
    `${name}: ${of('ms')} ms, ${ratio} ×, ${of('statements')} statements, ${of('wal')} bytes of WAL`,
  )
}
for (const { close } of subjects) await close()
await observer.end()
await server.remove()
