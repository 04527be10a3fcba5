import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Role } from '../../src/http/bearer.ts'
import type { Reply } from '../support/reply.ts'
import type { Subject } from '../support/subject.ts'
import type { Automation } from './automations.ts'
import type { Event } from './delivering.ts'
import type { Walk } from './lists.ts'
import type { Policy } from './policies.ts'
import type { Random } from './random.ts'
import type { Task } from './tasks.ts'

/** Every caller with a token is Ada. */
export type Who = Role | 'nobody'

const RELATED = `INSERT INTO related_objects VALUES ('AccessReview', 'review-1', '{"id": "review-1"}'),
  ('Insight', 'insight-1', '{"id": "insight-1"}'), ('Insight', 'insight-2', '{"id": "insight-2"}'),
  ('AppResource', 'resource-1', '{"id": "resource-1"}'),
  ('EntitlementScopeBindingList', 'entitlement-01', '{"id": "bindings-01"}')`

/** More than one page holds, with some equal names. */
const MORE_ENTITLEMENTS = `INSERT INTO app_entitlements
  SELECT 'more-' || n, 'app-payroll', 'One of ' || n / 30, '', now() FROM generate_series(1, 70) AS n`
const ENTITLEMENTS = `SELECT id, app_id AS "appId", display_name AS "displayName", description,
  to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt" FROM app_entitlements`

interface Entitlement {
  readonly id: string
  readonly displayName: string
}

/** The service, and a model that it must agree with. The model is written from the specification alone. */
export class World {
  readonly policies: Policy[] = []
  readonly tasks: Task[] = []
  readonly automations: Automation[] = []
  readonly deleted: Automation[] = []
  readonly events: Event[] = []
  readonly walks: Walk[] = []
  /** By name, then by ID. They never change. */
  readonly entitlements: Entitlement[] = []
  /** The last calls, to explain a failure. */
  readonly calls: string[] = []
  count = 0
  readonly subject: Subject
  readonly random: Random
  readonly #tokens: Readonly<Record<Who, string>>
  readonly #ids = new Set<string>()
  readonly #places = new Map<string, number>()
  readonly #generations = new WeakMap<Policy, string>()

  private constructor(subject: Subject, random: Random, tokens: Readonly<Record<Who, string>>) {
    this.subject = subject
    this.random = random
    this.#tokens = tokens
  }

  /** A world without tasks, with the existing policies and entitlements. */
  static async begin(subject: Subject, random: Random): Promise<World> {
    const token = (role: Role) => subject.tokenWith(role)
    const [super_admin, operator] = [await token('super_admin'), await token('operator')]
    const tokens = { super_admin, operator, viewer: await token('viewer'), nobody: 'svc_nobody' }
    const world = new World(subject, random, tokens)
    await subject.database.query('DELETE FROM tasks')
    await subject.database.query(RELATED)
    const { body: first } = await world.ask('viewer', 'GET', '/api/v1/policies')
    world.policies.push(...first.list.map(({ policy }) => policy))
    await subject.database.query(MORE_ENTITLEMENTS)
    const rows = await subject.database.query<Entitlement>(ENTITLEMENTS)
    const place = ({ displayName, id }: Entitlement) => `${displayName} ${id}`
    world.entitlements.push(...rows.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)))
    return world
  }

  get now(): string {
    return new Date(this.subject.clock.now()).toISOString()
  }

  /** A user who may act, or sometimes one who may not. */
  mostly(who: Role): Who {
    return this.random.chance(0.9) ? who : this.random.pick(['super_admin', 'operator', 'viewer', 'nobody'])
  }

  ask(who: Who, method: string, path: string, body?: unknown): Promise<Reply> {
    return this.told(`${who} ${method} ${path} ${JSON.stringify(body) ?? ''}`, () =>
      this.subject.ask(method, path, body, this.#tokens[who]),
    )
  }

  async told(call: string, ask: () => Promise<Reply>): Promise<Reply> {
    this.count += 1
    const reply = await ask()
    this.calls.push(`${call.slice(0, 600)} => ${reply.status} ${reply.body.code ?? ''}`)
    if (this.calls.length > 8) this.calls.shift()
    return reply
  }

  /** Checks an ID in a reply: it was never seen before. */
  fresh(id: string): string {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(this.#ids.has(id), `${id} is new`).toBe(false)
    this.#ids.add(id)
    return id
  }

  /** The place of an element in a list. Earlier elements stay before later ones. */
  placeOf(id: string): number {
    const place = this.#places.get(id) ?? this.#places.size
    this.#places.set(id, place)
    return place
  }

  /** A policy keeps its generation until it changes. Then the model makes a new object. */
  checkGeneration(policy: Policy, id: string): void {
    const known = this.#generations.get(policy)
    if (known !== undefined) expect(id).toBe(known)
    else if (!policy.systemBuiltin) this.#generations.set(policy, this.fresh(id))
  }
}

/** Callers without permission learn nothing else (401 before 403). */
export function barred(who: Who, ...allowed: readonly Who[]): string[] {
  if (who === 'nobody') return ['401 unauthorized']
  return allowed.includes(who) ? [] : ['403 forbidden']
}

/**
 * Checks a reply against the model: one of the applicable refusals, as a problem, or a success if there are none.
 * @returns True for a success.
 */
export function judge({ status, headers, body }: Reply, refusals: readonly string[], success = 200): boolean {
  if (refusals.length === 0) {
    expect(`${status} ${body.code ?? ''}`, JSON.stringify(body)).toBe(`${success} `)
    return true
  }
  expect(refusals).toContain(`${status} ${body.code}`)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body.status).toBe(status)
  return false
}

/** `toEqual` takes far longer even if all is well. */
export function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected)
}
