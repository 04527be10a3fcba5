import { defineListener } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { entityVersions, postgresStore } from 'hookgate/stores/postgres'
import { webhookHandler } from 'hookgate/web'
import type pg from 'pg'
import { inTransaction } from './transaction.ts'

/** What this program reads of a pull request, in an event and in GitHub's API. */
export interface PullRequest {
  /** Its ID as text. JavaScript may round the one that is a number. */
  readonly node_id: string
  readonly number: number
  readonly state: string
  readonly title: string
  readonly updated_at: string
}

interface Events {
  readonly pull_request: {
    readonly pull_request: PullRequest
    readonly repository: { readonly full_name: string }
  }
  readonly ping: object
}

const versions = entityVersions()

/** Run this when you deploy. */
export async function migrate(pool: pg.Pool): Promise<void> {
  await postgresStore(pool).migrate()
  await versions.migrate(pool)
  await pool.query(
    'CREATE TABLE IF NOT EXISTS pull_requests (id text PRIMARY KEY, state text NOT NULL, title text NOT NULL)',
  )
}

/** Asks GitHub for a pull request. */
export async function fetchPullRequest(
  repository: string,
  number: number,
  { api = 'https://api.github.com', token = '' } = {},
): Promise<PullRequest> {
  const response = await fetch(
    `${api}/repos/${repository}/pulls/${number}`,
    {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
      },
      signal: AbortSignal.timeout(5000),
    },
  )
  if (!response.ok)
    throw new Error(`GitHub answered ${response.status}`)
  return (await response.json()) as PullRequest // as GitHub documents it
}

/** The endpoint: takes a request, returns a response. Keeps the latest state of each pull request. */
export function pullRequests(
  pool: pg.Pool,
  fetchLatest: typeof fetchPullRequest,
  secret: string,
) {
  const auth = github<Events>({ secrets: secret })
  const listener = defineListener({
    id: 'github',
    auth,
    store: postgresStore(pool),
  })
  return webhookHandler(listener, (event) =>
    inTransaction(pool, async (tx) => {
      if (event.type === 'pull_request') {
        const { pull_request: sent, repository } = event.payload
        const entity = `github:pull_request:${sent.node_id}`
        const answer = await versions.advance(
          tx,
          entity,
          sent.updated_at,
        )
        if (answer !== 'older') {
          const latest =
            answer === 'newer'
              ? sent
              : await fetchLatest(repository.full_name, sent.number)
          if (
            answer === 'same' &&
            (await versions.advance(tx, entity, latest.updated_at)) ===
              'older'
          ) {
            throw new Error("GitHub's API is behind its events") // 500: redeliver the event later
          }
          await tx.query(
            `INSERT INTO pull_requests VALUES ($1, $2, $3)
             ON CONFLICT (id) DO UPDATE SET state = excluded.state, title = excluded.title`,
            [latest.node_id, latest.state, latest.title],
          )
        }
      }
      await event.commit(tx) // the last statement
    }),
  )
}
