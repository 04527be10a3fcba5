import { EventStoreError } from '../../errors.ts'
import { memberOf, textOf } from '../../lib/member-of.ts'
import { problemsIn, type StoreProblem } from '../contract.ts'
import { type Call, clockOffset, type DynamodbClient, isNamed, TABLE_MISSING } from './client.ts'
import { KEY_ATTRIBUTE, TTL_ATTRIBUTE } from './statements.ts'

export interface TableOptions {
  readonly client: DynamodbClient
  readonly call: Call
  readonly table: string
}

const POLL_MS = 250
const MOST_POLLS = 240

/** Creates the table if it is missing, waits until it is active, and enables its TTL. */
export async function createTable(options: TableOptions): Promise<void> {
  const { client, call, table } = options
  const input = {
    TableName: table,
    AttributeDefinitions: [{ AttributeName: KEY_ATTRIBUTE, AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: KEY_ATTRIBUTE, KeyType: 'HASH' as const }],
    BillingMode: 'PAY_PER_REQUEST' as const,
  }
  const existing = await call((given) => client.createTable(input, given)).catch((error: unknown) => {
    if (isNamed(error, 'ResourceInUseException')) return 'existing'
    throw error
  })
  await untilActive(options)
  if (existing === 'existing' && (await timeToLive(options)) === TTL_ATTRIBUTE) return
  const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
  try {
    await call((given) => client.updateTimeToLive({ TableName: table, TimeToLiveSpecification }, given))
  } catch (error) {
    // Another process may have enabled it first.
    if ((await timeToLive(options)) !== TTL_ATTRIBUTE) throw error
  }
}

async function untilActive(options: TableOptions): Promise<void> {
  for (let poll = 0; poll < MOST_POLLS; poll += 1) {
    if ((await describe(options))?.status === 'ACTIVE') return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new EventStoreError(
    `the table ${options.table} was not there after ${(MOST_POLLS * POLL_MS) / 1000} s`,
  )
}

interface Description {
  readonly status: unknown
  readonly keys: string
  /** Has replicas in other regions without strong consistency. */
  readonly hasLooseReplicas: boolean
}

/** Undefined if the table does not exist. */
async function describe({ client, call, table }: TableOptions): Promise<Description | undefined> {
  try {
    const reply = await call((given) => client.describeTable({ TableName: table }, given))
    const told = memberOf(reply, 'Table')
    const keys = listOf(told, 'KeySchema')
      .map((key) => `${memberOf(key, 'AttributeName')} ${memberOf(key, 'KeyType')}`)
      .join(', ')
    const isStrong = memberOf(told, 'MultiRegionConsistency') === 'STRONG'
    const hasLooseReplicas = listOf(told, 'Replicas').length > 0 && !isStrong
    return { status: memberOf(told, 'TableStatus'), keys, hasLooseReplicas }
  } catch (error) {
    if (isNamed(error, TABLE_MISSING)) return undefined
    throw error
  }
}

function listOf(holder: unknown, name: string): readonly unknown[] {
  const list = memberOf(holder, name)
  return Array.isArray(list) ? list : []
}

/** The TTL attribute. Undefined if TTL is disabled. */
async function timeToLive({ client, call, table }: TableOptions): Promise<unknown> {
  const reply = await call((given) => client.describeTimeToLive({ TableName: table }, given))
  const told = memberOf(reply, 'TimeToLiveDescription')
  return /^ENABL/.test(textOf(told, 'TimeToLiveStatus') ?? '') ? memberOf(told, 'AttributeName') : undefined
}

/** Lists what would make the store forget, fail or grow. Needs permission to describe the table and its TTL. */
export async function tableProblems(options: TableOptions): Promise<readonly StoreProblem[]> {
  const offsetMs = clockOffset(options.client)
  const found = await describe(options)
  const isOurs = found?.keys === `${KEY_ATTRIBUTE} HASH`
  return problemsIn([
    [
      offsetMs !== 0,
      `this machine's clock is ${Math.abs(Math.round(offsetMs / 1000))} s ${offsetMs > 0 ? 'behind' : 'ahead of'} that of AWS; leases are corrected for it, within 10 s`,
      'let NTP set the clock, and restart the process',
    ],
    [
      found === undefined,
      'the table is missing, in this account and region: every delivery gets a 503',
      'run `await store.migrate()` once, or create it with your own tools as docs/stores/dynamodb.md says',
    ],
    [
      found !== undefined && !isOurs,
      `the table's key is ${found?.keys}: every delivery is answered 503`,
      `use a table whose only key is ${KEY_ATTRIBUTE}, a string, as its partition key`,
    ],
    [
      isOurs && found.hasLooseReplicas,
      'it is a global table, and each region decides for itself: two regions accept the same event at the same time',
      'send all deliveries of a listener to one region, or give the table multi-Region strong consistency',
    ],
    [
      isOurs && (await timeToLive(options)) !== TTL_ATTRIBUTE,
      `expired records are not deleted: TTL is not on for ${TTL_ATTRIBUTE}`,
      `turn TTL on for the attribute ${TTL_ATTRIBUTE}, as migrate() does`,
    ],
  ])
}
