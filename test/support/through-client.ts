import { randomUUID } from 'node:crypto'
import { type InboxErrorContext, inbox } from '../../src/inbox/index.ts'
import { defineListener, hmac } from '../../src/index.ts'
import { entityVersions, type PostgresClient, postgresStore } from '../../src/stores/postgres/store.ts'
import { signHmac, toDelivery } from '../../src/testing/index.ts'
import { SECRET } from './hmac-listener.ts'
import { acceptedEvent } from './outcome.ts'

/** A client as an app has it, and how it begins a transaction. */
export interface AppsClient {
  readonly client: PostgresClient
  transaction(work: (tx: PostgresClient) => Promise<unknown>): PromiseLike<unknown>
}

/** What became of each, in order: `works`, or the message of the refusal. `runs`: how often a handler ran. */
export interface Through {
  readonly store: string
  readonly put: string
  readonly work: string
  readonly list: string
  readonly versions: string
  readonly runs: number
}

/**
 * Sends an event through the store, the inbox, with `done(tx)` and its list, and the versions, on new tables, by a client that may change what the server
 * answers.
 *
 * @param own A client that changes nothing.
 */
export async function throughClient(
  { client, transaction }: AppsClient,
  own: PostgresClient,
): Promise<Through> {
  const suffix = randomUUID().slice(0, 8)
  let runs = 0
  const events = { table: `events_${suffix}` }
  await postgresStore(own, events).migrate()
  const listenerOf = (store: Parameters<typeof defineListener>[0]['store']) =>
    defineListener({ id: 'orders', auth: hmac({ secrets: SECRET }), store, storeTimeoutSeconds: 60 })
  const deliver = async () => toDelivery(await signHmac({ secret: SECRET, body: '{"a":1}' }))
  const store = await told(async () => {
    const listener = listenerOf(postgresStore(client, events))
    const event = await acceptedEvent(await deliver(), listener)
    runs += 1
    if ((await event.commit()) !== 'committed') throw new Error('not committed')
  })

  const table = `inbox_${suffix}`
  const ownBox = inbox(own, { table })
  await ownBox.migrate()
  const box = inbox(client, { table })
  const put = await told(async () => {
    const event = await acceptedEvent(await deliver(), listenerOf(box.store))
    await transaction((tx) => box.put(event, { tx }))
    if ((await event.commit()) !== 'committed') throw new Error('not committed')
  })

  // Whoever put it: a job waits for the worker.
  const listener = listenerOf(ownBox.store)
  if (put !== 'works') await ownBox.put(await acceptedEvent(await deliver(), listener))
  const work = await new Promise<string>((resolve) => {
    const worker = box.work(
      listenerOf(box.store),
      async (event, { done, attempt }) => {
        runs += 1
        if (attempt !== 1 || JSON.stringify(event.payload) !== '{"a":1}') throw new Error('another event')
        await transaction(done)
        setTimeout(() => end('works'), 0)
      },
      { pollMs: 20, onError: (error: unknown, _: InboxErrorContext) => end(String(error)) },
    )
    const end = (what: string) => void worker.stop().then(() => resolve(what))
  })
  const counts = await ownBox.counts()
  const isDone = counts.done === 1 && counts.waiting + counts.running + counts.dead === 0
  const isUntouched = counts.waiting === 1 && counts.done + counts.running + counts.dead === 0

  const list = await told(async () => {
    const [job] = await box.list({ body: true })
    const id = job?.id ?? ''
    if (job?.eventId === undefined || job.hasBody !== (job.state !== 'done')) throw new Error('another job')
    if (JSON.stringify(await box.get(id, { body: true })) !== JSON.stringify([job]))
      throw new Error('another one')
    await box.oldest()
    const { refused } = await box.again(id)
    const { changed } = await box.forget(id)
    if (refused !== (job.state === 'done' ? 1 : 0) || changed !== 1) throw new Error('another number')
  })

  const versions = entityVersions({ table: `versions_${suffix}` })
  await versions.migrate(own)
  const advanced = await told(async () => {
    await transaction(async (tx) => {
      if ((await versions.advance(tx, 'order:1', 2)) !== 'newer') throw new Error('not newer')
      if ((await versions.advance(tx, 'order:1', 1)) !== 'older') throw new Error('not older')
    })
  })
  const isRight = work === 'works' ? isDone : isUntouched
  return {
    store,
    put,
    list,
    work: isRight ? work : `${work} ${JSON.stringify(counts)}`,
    versions: advanced,
    runs,
  }
}

async function told(attempt: () => Promise<void>): Promise<string> {
  try {
    await attempt()
    return 'works'
  } catch (error) {
    return String(error)
  }
}
