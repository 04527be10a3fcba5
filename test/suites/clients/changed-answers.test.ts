import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresServer } from '../../support/postgres-server.ts'
import { type AppsClient, throughClient } from '../../support/through-client.ts'

interface Orm {
  /** What came back, where hookgate refuses that. */
  readonly refused?: string
  open(url: string): Promise<AppsClient & { close(): unknown }> | (AppsClient & { close(): unknown })
}

const { ORMS }: { readonly ORMS: Readonly<Record<string, Orm>> } = await import(
  new URL('orms/plugins.mjs', import.meta.url).href
)

describe('what an ORM does to the answers of the server', () => {
  let server: PostgresServer
  let own: pg.Pool
  let front: Server
  let url: string

  beforeAll(async () => {
    server = await PostgresServer.start()
    own = new pg.Pool(server.address)
    // Not every client can name a socket in a URL.
    front = createServer((incoming) => {
      const outgoing = connect(server.socketPath)
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const)
        from
          .on('error', () => to.destroy())
          .on('close', () => to.destroy())
          .pipe(to)
    })
    await once(front.listen(0, '127.0.0.1'), 'listening')
    const { port } = front.address() as AddressInfo // of a listening server
    url = `postgres://hookgate@127.0.0.1:${port}/postgres`
  })

  afterAll(async () => {
    await own?.end()
    front?.close()
    await server?.remove()
  })

  it.each(Object.entries(ORMS))(
    '%s: each answer is read, or refused before a handler runs',
    async (_, orm) => {
      const { refused } = orm
      const opened = await orm.open(url)
      try {
        const through = await throughClient(opened, own)
        if (refused === undefined) {
          expect(through).toEqual({
            ...{ store: 'works', put: 'works', work: 'works', list: 'works', versions: 'works', runs: 2 },
          })
          return
        }
        expect(through.runs).toBe(0)
        for (const told of [through.store, through.put, through.work, through.list, through.versions])
          expect(told).toMatch(
            new RegExp(`not return what Postgres answered, but ${refused}: .*(Kysely|Knex)`),
          )
      } finally {
        await opened.close()
      }
    },
  )
})
