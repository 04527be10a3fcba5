import { expect, it, onTestFinished } from 'vitest'
import { evaluateCel } from '../../src/cel/evaluate.ts'
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
import { describeService } from '../support/databases.ts'

/** Nested loops that run into the limit of one second. */
const LIST = `[${Array.from({ length: 20 }, (_, number) => number)}]`
const SLOW = `${Array.from('abcdefg', (name) => `${LIST}.all(${name}, `).join('')}true${')'.repeat(7)}`

describeService('the queue of runs', (subject) => {
  /** As if an automation had got so many more events. */
  const queueMore = (automationId: string, count: number) =>
    subject.database.query(
      `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at)
       SELECT gen_random_uuid()::text, automation_id, version, listener_id, gen_random_uuid(), input, state, created_at
       FROM runs, generate_series(1, $2::int) WHERE automation_id = $1`,
      [automationId, count],
    )
  const endAll = () =>
    subject.database.query(
      "UPDATE runs SET finished_at = now(), state = 'RUN_STATE_FAILED' WHERE finished_at IS NULL",
    )

  it('a run comes next although another automation has 1,000 that are older', async () => {
    const [greedy, modest] = [await newSender(subject), await newSender(subject)]
    await sendAccepted(subject, greedy)
    await queueMore(greedy.automationId, 999)
    const { body } = await sendAccepted(subject, modest)
    const taken = [await subject.runs.take(), await subject.runs.take()]
    expect(taken.map((run) => run?.id)).toContain(body.runId)
    const elsewhere = new RunQueue(subject.database) // of another process
    const others = [await elsewhere.take(), await elsewhere.take()]
    expect(new Set([...taken, ...others].map((run) => run?.id)).size).toBe(4)
    await endAll()
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
    await queueMore(sender.automationId, 39)
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
      await endAll()
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
    await queueMore(slow.automationId, 39)
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
      await queueMore(sender.automationId, 9)
      slow.push(sender)
    }
    await expectQuickBeside(slow)
  }, 60_000)
})
