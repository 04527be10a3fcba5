import { sha256 } from '#crypto'
import { EventStoreError, ListenerConfigError } from '../errors.ts'
import { storedKey } from '../event-key.ts'
import type { EventStore } from '../event-store.ts'
import { bring, type Fix } from '../fixes.ts'
import { memberOf } from '../lib/member-of.ts'
import { checkOptions, type OptionCheck, optional } from '../lib/options.ts'
import { escaped } from '../lib/printable.ts'

/** Something that can make a store forget, block or grow, and how to fix it. */
export interface StoreProblem {
  /** What was found, for a log. */
  readonly problem: string
  /** What to set or do, for people. */
  readonly fix: string
}

/** The options of `check()`. */
export interface CheckOptions {
  /**
   * The roles of the database that may write to the table beside this client's own, spelt as there, e.g. `['service_role']`. Members of
   * a role that you name may write, too. All others that can are a problem.
   */
  readonly writers?: readonly string[] | undefined
}

/** @throws ListenerConfigError for unknown or invalid options. */
export function writersIn(options: CheckOptions): readonly string[] {
  checkOptions('check', options, { writers: optional(namesOfRoles) })
  return options.writers ?? []
}

const namesOfRoles: OptionCheck = (value, option) => {
  const isName = (name: unknown) => typeof name === 'string' && name !== '' && !name.includes('\0')
  if (Array.isArray(value) && value.every(isName)) return
  throw new ListenerConfigError(option, "must be an array of names of roles, such as ['service_role']")
}

/** The problems of a list that were found. */
export function problemsIn(
  list: readonly (readonly [isFound: boolean, problem: string, fix: string])[],
): StoreProblem[] {
  return list.filter(([isFound]) => isFound).map(([, problem, fix]) => ({ problem, fix }))
}

/** Whether nobody listens for an emitter's `error`, which it throws then: a broken connection would end the process. */
export function isUnheard(client: unknown): boolean {
  const listenerCount = memberOf(client, 'listenerCount')
  return typeof listenerCount === 'function' && Reflect.apply(listenerCount, client, ['error']) === 0
}

/**
 * The parts of a table's name: its own alone, or behind that of what holds it.
 *
 * @throws ListenerConfigError for anything but letters, digits and underscores, because the name becomes part of the SQL.
 */
export function partsOfName(
  table: string,
  holder: 'schema' | 'database',
  longest: number,
): readonly string[] {
  const parts = typeof table === 'string' ? table.split('.') : ['']
  const isPlain = (part: string) => /^[a-z_][a-z0-9_]*$/i.test(part) && part.length <= longest
  if (parts.length <= 2 && parts.every(isPlain)) return parts
  throw new ListenerConfigError(
    'table',
    `must be a name, or ${holder}.name, of letters, digits and underscores, ${longest} at most in each`,
  )
}

/** What mends a name that is no ordinary table: `migrate()` replaces nothing. */
export const makeRoom = (migrate: string): string =>
  `drop it, or rename it with its indexes, then run \`await ${migrate}\`, which creates an ordinary table of that name`

/** What an engine does, for keys as stored. */
export type EngineVerbs = Required<Pick<EventStore, 'claim' | 'commit' | 'release' | 'renew'>>

/** The store of an engine. `fixes` are of what its clients and servers say. */
export function storeOf(verbs: EngineVerbs, fixes?: readonly Fix[]): EventStore {
  if (fixes) bring(fixes)
  return {
    claim: async (key, owner, leaseMs) => verbs.claim(await storedKey(key), owner, leaseMs),
    commit: async (key, owner, retentionMs) => verbs.commit(await storedKey(key), owner, retentionMs),
    release: async (key, owner) => verbs.release(await storedKey(key), owner),
    renew: async (key, owner, leaseMs) => verbs.renew(await storedKey(key), owner, leaseMs),
  }
}

/** The answer of an engine's statement or script. @throws EventStoreError for any other value, e.g. of a client that converts replies. */
export function knownAnswer<const Answer extends string>(
  engine: string,
  answers: readonly Answer[],
  seen: unknown,
): Answer {
  const answer = answers.find((known) => known === seen)
  if (answer !== undefined) return answer
  throw new EventStoreError(`${engine} returned something other than ${answers.join(', ')}`)
}

/** How often a statement is sent at most, while others keep getting in its way. */
export const MOST_ATTEMPTS = 5

/** Sends a statement, outside of any transaction, and again if the server has undone it because of another one. */
export async function undisturbed<Result>(
  send: () => Promise<Result>,
  isUndone: (error: unknown) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isUndone(error)) throw error
    }
  }
}

export function tableMissing(cause: unknown): EventStoreError {
  return new EventStoreError('the table of events is missing: run `await store.migrate()` once', { cause })
}

/** Where the statements belong. ORMs send what they take for a read to a replica, whatever the statement does. */
export const toPrimary = (page: string): string =>
  `connect to the primary; an ORM with read replicas needs the executor of ${page}, which writes there`

/** The error of a server, session or transaction that is read-only. `page` has the executors. */
export function readOnly(cause: unknown, page: string): EventStoreError {
  return new EventStoreError(`this server or session is read-only: ${toPrimary(page)}`, { cause })
}

/** Escapes a text to printable ASCII, which a database stores in any encoding, unlike NUL. Different texts stay different. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, escaped)
}

/** The text that `asciiText` has escaped. */
export function fromAscii(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
}

/** A text of any length as stored: in ASCII, or, beyond `longest`, as a digest, which cannot equal an escaped text. */
export async function storedText(text: string, longest: number): Promise<string> {
  const ascii = asciiText(text)
  return ascii.length > longest ? `\\sha256:${await sha256(ascii)}` : ascii
}
