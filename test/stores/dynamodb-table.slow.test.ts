import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { DynamodbServer } from '../support/dynamodb-server.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }

let server: DynamodbServer
let client: DynamoDB

beforeAll(async () => {
  server = await DynamodbServer.start()
  client = server.client()
})
afterAll(() => server.close())

const problems = async (table: string) =>
  (await dynamodbStore(client, { table }).check()).map(({ problem }) => problem.split(':')[0])

async function createTable(table: string, ...keys: [string, 'HASH' | 'RANGE'][]) {
  await client.createTable({
    TableName: table,
    AttributeDefinitions: keys.map(([AttributeName]) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
    BillingMode: 'PAY_PER_REQUEST',
  })
}

describe('migrate()', () => {
  it('migrate() creates the table, waits for it, and turns TTL on', async () => {
    const store = dynamodbStore(client, { table: 'migrated' })
    await expect(store.claim(KEY, 'a', 1000)).rejects.toThrow(/migrate\(\)/)
    await store.migrate()
    expect(await store.claim(KEY, 'a', 60_000)).toBe('acquired')
    expect((await client.describeTable({ TableName: 'migrated' })).Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [{ AttributeName: 'event_key', KeyType: 'HASH' }],
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    })
    expect((await client.describeTimeToLive({ TableName: 'migrated' })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'ENABLED',
      AttributeName: 'expires_at',
    })
    expect(await store.check()).toStrictEqual([])
  })

  it('migrate() may run again, and many times at once, and keeps existing records', async () => {
    const store = dynamodbStore(client, { table: 'shared' })
    await Promise.all(Array.from({ length: 5 }, () => store.migrate()))
    await store.commit(KEY, 'a', 60_000)
    await store.migrate()
    expect(await store.claim(KEY, 'b', 60_000)).toBe('done')
  })

  it('migrate() turns on TTL for an existing table without it', async () => {
    await createTable('without-ttl', ['event_key', 'HASH'])
    await dynamodbStore(client, { table: 'without-ttl' }).migrate()
    expect(await problems('without-ttl')).toStrictEqual([])
  })

  it("migrate() throws AWS's error if it lacks the permission", async () => {
    await server.behave({ refuse: 'AccessDeniedException' })
    const migrating = dynamodbStore(client, { table: 'forbidden' }).migrate()
    await expect(migrating).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await server.behave({ refuse: null })
  })
})

describe('check()', () => {
  it('check() finds a missing table', async () => {
    expect(await problems('nowhere')).toStrictEqual(['the table is missing, in this account and region'])
  })

  it('check() finds a table with other keys, before the first delivery fails on it', async () => {
    await createTable('foreign', ['pk', 'HASH'], ['sk', 'RANGE'])
    expect(await problems('foreign')).toStrictEqual(["the table's key is pk HASH, sk RANGE"])
  })

  it('check() finds a table that only grows', async () => {
    await createTable('growing', ['event_key', 'HASH'])
    await expect.poll(() => problems('growing')).toStrictEqual(['expired records are not deleted'])
  })

  it.each([
    [[{ RegionName: 'eu-west-1' }], undefined, 1],
    [[{ RegionName: 'eu-west-1' }], 'EVENTUAL', 1],
    [[{ RegionName: 'eu-west-1' }], 'STRONG', 0],
    [[], undefined, 0],
  ])(
    'a global table (replicas %j, consistency %s) has %i problem',
    async (Replicas, MultiRegionConsistency, count) => {
      // dynalite has no other regions, so this client answers for the table.
      const store = dynamodbStore({
        putItem: (input) => client.putItem(input),
        deleteItem: (input) => client.deleteItem(input),
        getItem: (input) => client.getItem(input),
        createTable: (input) => client.createTable(input),
        updateTimeToLive: (input) => client.updateTimeToLive(input),
        describeTimeToLive: async () => ({
          TimeToLiveDescription: { TimeToLiveStatus: 'ENABLING', AttributeName: 'expires_at' },
        }),
        describeTable: async () => ({
          Table: {
            TableStatus: 'ACTIVE',
            KeySchema: [{ AttributeName: 'event_key', KeyType: 'HASH' }],
            Replicas,
            MultiRegionConsistency,
          },
        }),
      })
      const found = await store.check()
      expect(found).toHaveLength(count)
      for (const { problem } of found) expect(problem).toMatch(/global table/)
    },
  )
})
