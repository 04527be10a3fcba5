import { createServer } from 'node:http'
import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import {
  type DynamodbClient,
  type DynamodbStoreOptions,
  dynamodbStore,
} from '../../src/stores/dynamodb/store.ts'
import { settingsFor } from '../support/dynamodb-server.ts'
import { serve } from '../support/servers.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }
const TYPE = 'com.amazonaws.dynamodb.v20120810#'

const client = new DynamoDB(settingsFor(1))
afterAll(() => client.destroy())

/** A refusal in AWS's words on the wire (API reference, ConditionalCheckFailedException), read by the real SDK. */
async function storeRefusedWith(answer: object, options: DynamodbStoreOptions = {}) {
  const asked: { target: string; input: Record<string, unknown> }[] = []
  const { address } = await serve(
    createServer(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const target = String(request.headers['x-amz-target'])
      asked.push({ target, input: JSON.parse(Buffer.concat(chunks).toString()) })
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(JSON.stringify(answer))
    }),
  )
  const port = 'port' in address ? address.port : 0
  return { store: dynamodbStore(new DynamoDB(settingsFor(port)), options), asked }
}

const refusal = (Item?: object) => ({
  __type: `${TYPE}ConditionalCheckFailedException`,
  message: 'The conditional request failed',
  ...(Item && { Item }),
})

const LEASED = { held_by: { S: 'other' }, is_done: { BOOL: false }, lapses_at: { N: '99999999999999' } }
const DONE = { is_done: { BOOL: true }, lapses_at: { N: '99999999999999' } }

describe('the record that stood in the way comes with the refusal', () => {
  it.each([
    ['a lease', LEASED, 'busy', 'lost'],
    ['a done event', DONE, 'done', 'already'],
  ])('%s: one request a verb', async (_, item, claimed, committed) => {
    const { store, asked } = await storeRefusedWith(refusal(item))
    expect(await store.claim(KEY, 'a', 1000)).toBe(claimed)
    expect(await store.commit(KEY, 'a', 1000)).toBe(committed)
    expect(await store.release(KEY, 'a')).toBe(false)
    expect(await store.renew?.(KEY, 'a', 1000)).toBe(false)
    expect(asked.map(({ target }) => target)).toStrictEqual([
      'DynamoDB_20120810.PutItem',
      'DynamoDB_20120810.PutItem',
      'DynamoDB_20120810.DeleteItem',
      'DynamoDB_20120810.PutItem',
    ])
    for (const { input } of asked) {
      expect(input).toMatchObject({
        TableName: 'hookgate_events',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
    }
  })

  it.each([[{}], [{ is_done: { S: 'yes' } }], [{ is_done: true }]])(
    'a record of %j is not from this store, and decides nothing',
    async (item) => {
      const { store } = await storeRefusedWith(refusal(item))
      await expect(store.claim(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
      await expect(store.commit(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
    },
  )
})

describe('the record that stood in the way is missing from the refusal', () => {
  /** An engine like dynalite. It refuses without the record, and returns this one when read. */
  function silentClient(item: unknown) {
    const asked: string[] = []
    const refuse = async () => {
      throw Object.assign(new Error('The conditional request failed'), {
        name: 'ConditionalCheckFailedException',
      })
    }
    const getItem = async (input: object) => {
      asked.push(JSON.stringify(input))
      return { Item: item }
    }
    return { asked, client: { ...unusedMethods(), putItem: refuse, deleteItem: refuse, getItem } }
  }

  it.each([
    ['a lease', LEASED, 'busy', 'lost'],
    ['a done event', DONE, 'done', 'already'],
    ['no record, because it was just deleted', undefined, 'busy', 'lost'],
  ])('it is read with strong consistency: %s', async (_, item, claimed, committed) => {
    const { client, asked } = silentClient(item)
    expect(await dynamodbStore(client).claim(KEY, 'a', 1000)).toBe(claimed)
    expect(await dynamodbStore(client).commit(KEY, 'a', 1000)).toBe(committed)
    expect(asked).toHaveLength(2)
    expect(JSON.parse(asked[0] ?? '')).toStrictEqual({
      TableName: 'hookgate_events',
      Key: { event_key: { S: `2:L1:${KEY.eventId}` } },
      ConsistentRead: true,
    })
  })

  it('a release and a renewal do not need it', async () => {
    const { client, asked } = silentClient(LEASED)
    const store = dynamodbStore(client)
    await store.claim(KEY, 'a', 1000)
    asked.length = 0
    expect(await store.release(KEY, 'a')).toBe(false)
    expect(await store.renew?.(KEY, 'a', 1000)).toBe(false)
    expect(asked).toHaveLength(0)
  })
})

describe('other refusals', () => {
  it('a missing table gives the fix', async () => {
    const { store } = await storeRefusedWith({ __type: `${TYPE}ResourceNotFoundException`, message: 'no' })
    for (const call of [
      async () => store.claim(KEY, 'a', 1000),
      async () => store.commit(KEY, 'a', 1000),
      async () => store.release(KEY, 'a'),
      async () => store.renew?.(KEY, 'a', 1000),
    ]) {
      await expect(call()).rejects.toThrow(EventStoreError)
      await expect(call()).rejects.toThrow(/hookgate_events is not there .*migrate\(\)/)
    }
  })

  it('all others are passed on unchanged', async () => {
    const { store } = await storeRefusedWith({ __type: `${TYPE}AccessDeniedException`, message: 'no' })
    await expect(store.claim(KEY, 'a', 1000)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await expect(store.release(KEY, 'a')).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await expect(store.renew?.(KEY, 'a', 1000)).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })
})

function unusedMethods(): DynamodbClient {
  const unused = async () => expect.unreachable()
  return {
    putItem: unused,
    deleteItem: unused,
    getItem: unused,
    createTable: unused,
    describeTable: unused,
    describeTimeToLive: unused,
    updateTimeToLive: unused,
  }
}

describe('at construction', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^client: must be a DynamoDB of @aws-sdk\/client-dynamodb: new DynamoDB\(/],
    ['null', null, /must be a DynamoDB of/],
    ['a region', 'eu-central-1', /must be a DynamoDB of/],
    ['the bare client', new DynamoDBClient(settingsFor(1)), /not a DynamoDBClient$/],
    [
      'the document client',
      { send() {}, put() {}, get() {} },
      /not the DynamoDBDocument that was made from it$/,
    ],
    ['version 2 of the SDK', { makeRequest() {}, query() {} }, /not version 2 of the SDK/],
    ['a Redis client', { call() {} }, /must be a DynamoDB of/],
  ])('%s gets an error that names the fix', (_, given, message) => {
    // The types forbid this, but JavaScript allows it.
    const create = () => dynamodbStore(given as DynamodbClient)
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(message)
  })

  it.each<[string, readonly unknown[]]>([
    ['table', ['', 'ab', 'a b', 'a;b', 'é'.repeat(9), 'x'.repeat(1025), 7, null]],
    ['prefix', [7, null, '\ud800', 'x'.repeat(65)]],
    ['retentionSeconds', [600]], // an option of the listener
    ['abortSeconds', [0, -1, Number.NaN, 3_000_000, '5', null]],
    ['clock', [7, {}, null]],
    ['tabel', ['events']],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const create = () => dynamodbStore(client, { [name]: value })
      expect(create).toThrow(ListenerConfigError)
      expect(create).toThrow(new RegExp(`^${name}: `))
    }
  })

  it.each(['abc', 'Web-hooks_1.events', 'arn:aws:dynamodb:eu-central-1:123456789012:table/events'])(
    'table can be %s',
    (table) => {
      expect(() => dynamodbStore(client, { table })).not.toThrow()
    },
  )
})

describe('middleware that converts what DynamoDB answers', () => {
  /** A client whose refusals and replies come with this record. */
  function converting(record: object): DynamodbClient {
    const refuse = async () => {
      throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException', Item: record })
    }
    const unused = async () => ({})
    const calls = {
      createTable: unused,
      describeTable: unused,
      describeTimeToLive: unused,
      updateTimeToLive: unused,
    }
    return { ...calls, putItem: refuse, getItem: unused, deleteItem: async () => ({ Attributes: record }) }
  }

  it.each<[string, object]>([
    ['plain values', { held_by: 'other', is_done: false, lapses_at: 99_999_999_999_999 }],
    ['nulls', { held_by: null, is_done: null, lapses_at: null }],
    ['other names', { heldBy: { S: 'other' }, isDone: { BOOL: false }, lapsesAt: { N: '99999999999999' } }],
    ['nothing', {}],
  ])('into %s is refused, and never read as a lease', async (_, record) => {
    const store = dynamodbStore(converting(record))
    const asked = [
      async () => store.claim(KEY, 'a', 1000),
      async () => store.commit(KEY, 'a', 1000),
      async () => store.release(KEY, 'a'),
    ]
    for (const ask of asked) await expect(ask()).rejects.toThrow(EventStoreError)
  })
})
