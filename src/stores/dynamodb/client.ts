import { ListenerConfigError } from '../../errors.ts'
import { type Clock, timeOf } from '../../lib/clock.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { refuseOtherKinds } from '../kinds.ts'

/** A DynamoDB attribute value. Only strings, integers and booleans are used. */
type Attribute = { S: string } | { N: string } | { BOOL: boolean }
export type Item = Record<string, Attribute>

interface Condition {
  TableName: string
  ConditionExpression: string
  ExpressionAttributeValues: Item
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD'
}

interface NewTable {
  TableName: string
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' }[]
  KeySchema: { AttributeName: string; KeyType: 'HASH' }[]
  BillingMode: 'PAY_PER_REQUEST'
}

interface NewTimeToLive {
  TableName: string
  TimeToLiveSpecification: { AttributeName: string; Enabled: boolean }
}

interface CallOptions {
  abortSignal?: AbortSignal
}

/**
 * The part of `new DynamoDB(…)` of @aws-sdk/client-dynamodb 3 that is used.
 */
export interface DynamodbClient {
  putItem(input: Condition & { Item: Item }, options?: CallOptions): Promise<unknown>
  deleteItem(
    input: Condition & { Key: Item; ReturnValues: 'ALL_OLD' },
    options?: CallOptions,
  ): Promise<unknown>
  getItem(
    input: { TableName: string; Key: Item; ConsistentRead: boolean },
    options?: CallOptions,
  ): Promise<unknown>
  createTable(input: NewTable, options?: CallOptions): Promise<unknown>
  describeTable(input: { TableName: string }, options?: CallOptions): Promise<unknown>
  describeTimeToLive(input: { TableName: string }, options?: CallOptions): Promise<unknown>
  updateTimeToLive(input: NewTimeToLive, options?: CallOptions): Promise<unknown>
  readonly config?: object
}

const KNOWN = 'must be a DynamoDB of @aws-sdk/client-dynamodb: new DynamoDB({ region })'

/** @throws ListenerConfigError for any other client. The message says what to pass instead. */
export function checkDynamodbClient(client: unknown): void {
  refuseOtherKinds(client, 'client', 'DynamoDB')
  const has = (method: string) => hasMethod(client, method)
  const methods = ['putItem', 'deleteItem', 'getItem', 'createTable', 'describeTable', 'updateTimeToLive']
  if (methods.every(has)) return
  const given =
    has('send') && has('put')
      ? ', not the DynamoDBDocument that was made from it'
      : has('send')
        ? ', not a DynamoDBClient'
        : has('promise') || has('makeRequest')
          ? ', not version 2 of the SDK, whose calls return no promises'
          : ''
  throw new ListenerConfigError('client', KNOWN + given)
}

/** Runs a call, and aborts it and its retries if it takes too long. */
export type Call = <Reply>(call: (options: CallOptions) => Promise<Reply>) => Promise<Reply>

export function callWithin(milliseconds: number): Call {
  return async (call) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), milliseconds)
    try {
      return await call({ abortSignal: controller.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Whether this is the AWS error of this name. */
export function isNamed(error: unknown, name: string): boolean {
  return memberOf(error, 'name') === name
}

export const CONDITION_FAILED = 'ConditionalCheckFailedException'
export const TABLE_MISSING = 'ResourceNotFoundException'

/** Smaller offsets are noise: the SDK's measurement includes the response time and has a resolution of one second. */
const NOTEWORTHY_MS = 10_000

/**
 * How far AWS's clock is ahead of this machine's, in milliseconds, by the date of its last response. 0 if they agree within
 * 10 s, or if the SDK does not report it.
 */
export function clockOffset(client: { readonly config?: object }): number {
  const offset = memberOf(client.config, 'systemClockOffset')
  return typeof offset === 'number' && Math.abs(offset) >= NOTEWORTHY_MS ? offset : 0
}

/** AWS's time, as far as this process knows it. */
export class AwsClock {
  readonly #client: DynamodbClient
  readonly #clock: Clock
  /** How far the clock was ahead of the monotonic one at AWS's last response. */
  #lead: number | undefined

  constructor(client: DynamodbClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  now(): number {
    return timeOf(this.#clock) + this.offset()
  }

  offset(): number {
    return clockOffset(this.#client)
  }

  /** Whether AWS has confirmed the clock, and nobody has set it since. */
  isConfirmed(): boolean {
    return this.#lead !== undefined && Math.abs(this.#leadNow() - this.#lead) < NOTEWORTHY_MS
  }

  /** Call after each response. */
  confirm(): void {
    this.#lead = this.#leadNow()
  }

  #leadNow(): number {
    return timeOf(this.#clock) - performance.now()
  }
}

/** Whether two offsets differ by more than noise. */
export function differ(offset: number, another: number): boolean {
  return Math.abs(offset - another) >= NOTEWORTHY_MS
}
