import { expect, inject, it, onTestFinished } from 'vitest'
import { evaluateCel } from '../../src/cel/evaluate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { RunQueue } from '../../src/runs/queue.ts'
import { startWorker } from '../../src/runs/worker.ts'
import {
  makeDue,
  newSender,
  recordsOf,
  runOf,
  type Sender,
  sendAccepted,
  workAll,
} from '../support/automations.ts'
import { addressIn } from '../support/copies.ts'
import { describeOnPostgres, describeService, type Subject } from '../support/databases.ts'

/** As if an automation had got so many more events, one after the other. */
const queueMore = ({ database }: Pick<Subject, 'database'>, automationId: string, count: number) =>
  database.query(
    `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at, due_at)
     SELECT gen_random_uuid()::text, automation_id, version, listener_id, gen_random_uuid(), input, state, created_at,
       due_at - nth * interval '1 microsecond'
     FROM (SELECT * FROM runs WHERE automation_id = $1 LIMIT 1) AS first, generate_series(1, $2::int) AS nth`,
    [automationId, count],
  )

const endAll = ({ database }: Subject) =>
  database.query("UPDATE runs SET finished_at = now(), state = 'RUN_STATE_FAILED' WHERE finished_at IS NULL")

/** Nested loops that run into the limit of one second. */
const LIST = `[${Array.from({ length: 20 }, (_, number) => number)}]`
const SLOW = `${Array.from('abcdefg', (name) => `${LIST}.all(${name}, `).join('')}true${')'.repeat(7)}`

/** A node of a plan that was executed. */
interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** How many rows of tables it has read. */
function readBy(plan: Plan): number {
  const each = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const own = plan['Relation Name'] === undefined ? 0 : each * plan['Actual Loops']
  return (plan.Plans ?? []).map(readBy).reduce((sum, rows) => sum + rows, own)
}

describeService('the queue of runs', (subject) => {
  it('a run comes next although another automation has 1,000 that are older', async () => {
    const [greedy, modest] = [await newSender(subject), await newSender(subject)]
    await sendAccepted(subject, greedy)
    await queueMore(subject, greedy.automationId, 999)
    const { body } = await sendAccepted(subject, modest)
    const taken = [await subject.runs.take(), await subject.runs.take()]
    expect(taken.map((run) => run?.id)).toContain(body.runId)
    const elsewhere = new RunQueue(subject.database) // of another process
    const others = [await elsewhere.take(), await elsewhere.take()]
    expect(new Set([...taken, ...others].map((run) => run?.id)).size).toBe(4)
    await endAll(subject)
  })

  it('a run is taken without reading the 20,000 that wait before it', async () => {
    await endAll(subject)
    const [greedy, modest] = [await newSender(subject), await newSender(subject)]
    for (const sender of [greedy, modest]) await sendAccepted(subject, sender)
    await queueMore(subject, greedy.automationId, 20_000)
    const ids = [greedy, modest].map(({ automationId }) => automationId)
    for (const passed of [[], ids.slice(0, 1), ids.slice(1), ids]) {
      let rows = 0
      const explained = new RunQueue({
        query: async <Row>(text: string, params?: readonly unknown[]) => {
          const query = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`
          const [plan] = await subject.database.query<{ readonly 'QUERY PLAN': [{ Plan: Plan }] }>(
            query,
            params,
          )
          if (plan) rows += readBy(plan['QUERY PLAN'][0].Plan)
          return [] as Row[] // as if none was due
        },
      })
      await explained.take(passed)
      expect(rows, `without ${passed}`).toBeLessThan(12)
    }
    await endAll(subject)
  })

  it('a run that has begun ends before others of its automation begin', async () => {
    const steps = ['"one"', '"two"'].map((valueCel) => ({ type: 'record', valueCel }))
    const sender = await newSender(subject, { steps })
    await sendAccepted(subject, sender)
    await sendAccepted(subject, sender)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual(['two', 'one', 'two', 'one'])
  })

  it('a run is taken by one of many workers', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender)
    await queueMore(subject, sender.automationId, 39)
    const queues = Array.from({ length: 8 }, () => new RunQueue(subject.database))
    const taken = await Promise.all(
      queues.map(async (queue) => {
        const ids: string[] = []
        for (let run = await queue.take(); run !== undefined; run = await queue.take()) ids.push(run.id)
        return ids
      }),
    )
    expect(taken.flat()).toHaveLength(40)
    expect(new Set(taken.flat()).size).toBe(40)
    await makeDue(subject)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toHaveLength(40)
  })

  /** Sends an event to another automation three times while a worker is busy with these. */
  async function expectQuickBeside(busy: readonly Sender[]) {
    const quick = await newSender(subject)
    await Promise.all(['a', 'b'].map((owner) => evaluateCel('1', '{}', owner))) // starts both evaluators
    const worker = startWorker(subject.dependencies)
    onTestFinished(async () => {
      await endAll(subject)
      await worker.stop()
    })
    const begun = 'SELECT DISTINCT automation_id FROM runs WHERE automation_id = ANY ($1) AND attempts > 0'
    const ids = busy.map(({ automationId }) => automationId)
    await expect.poll(async () => (await subject.database.query(begun, [ids])).length).toBe(busy.length)
    const waiting = 'SELECT id FROM runs WHERE automation_id = ANY ($1) AND attempts = 0'
    for (let number = 0; number < 3; number += 1) {
      await sendAccepted(subject, quick)
      await expect
        .poll(async () => (await runOf(subject, quick)).state, { interval: 20 })
        .toBe('RUN_STATE_SUCCEEDED')
      expect(await subject.database.query(waiting, [ids])).not.toHaveLength(0) // they are older
    }
  }

  it('a run does not wait for all of 40 slow ones of another automation', async () => {
    const slow = await newSender(subject, { steps: [{ type: 'record', valueCel: SLOW }] })
    await sendAccepted(subject, slow)
    await queueMore(subject, slow.automationId, 39)
    await expectQuickBeside([slow])
  }, 60_000)

  it('a run does not wait for all those of eight automations whose tasks have one slow policy', async () => {
    const { body } = await subject.post('/api/v1/policies', {
      displayName: 'Slow',
      policyType: 'POLICY_TYPE_GRANT',
      policySteps: { grant: { steps: [{ approval: {} }] } },
      rules: [{ condition: SLOW, policyKey: 'grant' }],
    })
    const taskCel = `{"policyId": "${body.policy.id}", "type": {"grant": {"appId": "app-payroll", "appEntitlementId": "entitlement-01"}}}`
    const slow: Sender[] = []
    for (let number = 0; number < 8; number += 1) {
      const sender = await newSender(subject, { steps: [{ type: 'create_task', taskCel }] })
      await sendAccepted(subject, sender)
      await queueMore(subject, sender.automationId, 9)
      slow.push(sender)
    }
    await expectQuickBeside(slow)
  }, 60_000)
})

describeOnPostgres('a worker with a long queue', (subject) => {
  const ROWS = `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)::int
    + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::int AS rows`

  it('at most 50 rows are read for each run that ends, with 20,000 waiting, and another one comes before them', async () => {
    const [greedy, modest] = [await newSender(subject), await newSender(subject)]
    for (const sender of [greedy, modest]) await sendAccepted(subject, sender)
    const [row] = await subject.database.query<{ name: string }>('SELECT current_database() AS name')
    const address = addressIn(inject('postgresFolder'), row?.name ?? '')
    /** Calls `work` with a database of its own, whose connections count what they have read when they end. */
    const connected = async <T>(work: (database: ReturnType<typeof openPostgres>) => Promise<T>) => {
      const database = openPostgres(address, () => {})
      return work(database).finally(() => database.close())
    }
    await connected((database) => queueMore({ database }, greedy.automationId, 20_000))
    const rowsRead = () =>
      connected(async (database) => (await database.query<{ rows: number }>(ROWS))[0]?.rows ?? 0)
    const before = await rowsRead()
    const ended = await connected(async (database) => {
      const runs = new RunQueue(database)
      let count = 0
      const endedRuns = {
        add: () => {
          count += 1
        },
      }
      const metrics = { ...subject.dependencies.metrics, endedRuns }
      const worker = startWorker({ ...subject.dependencies, database, runs, metrics })
      await expect.poll(() => count).toBeGreaterThan(100)
      expect((await runOf(subject, modest)).state).toBe('RUN_STATE_SUCCEEDED')
      await worker.stop()
      return count
    })
    expect((await rowsRead()) - before).toBeLessThan(50 * ended)
  })
})
