import { expect } from 'vitest'
import type {
  PostgresClient,
  PostgresQueryClient,
  PostgresStore,
} from '../../../src/stores/postgres/store.ts'
import type { OpenPort } from '../../support/open-port.ts'

/** The database at a port of this machine. */
export const urlAt = ({ port }: OpenPort) => `postgres://hookgate@127.0.0.1:${port}/postgres`

/** What each program of the folder `orms` exports. */
export interface Program {
  readonly store: PostgresStore
  /** Pays for the event, and commits it in the same transaction. */
  pay(event: { readonly id: string; commit(tx: object): Promise<unknown> }): Promise<void>
}

export interface Subject {
  readonly file: string
  /** The ORM's client in the program. */
  client(program: Program): PostgresClient
  /** The ORM's own transaction. */
  begin<Result>(client: object, work: (tx: PostgresClient) => Promise<Result>): Promise<Result>
  /** A savepoint in it, as the ORM makes one. */
  nested<Result>(
    tx: object,
    client: object,
    work: (tx: PostgresClient) => Promise<Result>,
  ): PromiseLike<Result>
  /** After which nested transactions it leaves their savepoint open. */
  readonly leavesOpen: 'all' | 'failed' | 'none'
}

interface Subjects {
  readonly SUBJECTS: Readonly<Record<string, Subject>>
  pasted(text: string, names: object): PostgresQueryClient
}

export const at = (path: string) => new URL(`orms/${path}`, import.meta.url)
const subjects: Subjects = await import(at('subjects.mjs').href)

export const { SUBJECTS } = subjects

/** The executor in an error that refused this client. The client itself if it is accepted. */
export function executorFrom(make: () => unknown, names: object, client: PostgresClient): PostgresClient {
  try {
    make()
    return client
  } catch (error) {
    const line = /pass (\{ query: .+ \}) in its place/.exec(String(error))?.[1]
    return line === undefined ? expect.fail(`no executor: ${error}`) : subjects.pasted(line, names)
  }
}
