import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { workOnNext } from '../../src/runs/worker.ts'
import { newSender, runOf, send } from '../support/automations.ts'
import { describeOnPostgres } from '../support/databases.ts'

// On PGlite, which has one connection, who needs the database waits until the step is over.
describeOnPostgres('a run whose expression is a trap', (subject) => {
  it('other requests are answered while it is being evaluated, and then the step fails', async () => {
    const steps = [{ type: 'record', valueCel: 'ctx.trigger.text.matches("^(a+)+$")' }]
    const sender = await newSender(subject, { steps })
    await send(subject, sender, { text: `${'a'.repeat(60)}b` })
    let working = true
    const run = workOnNext(subject.dependencies).finally(() => {
      working = false
    })
    let answered = 0
    while (working) {
      const { status } = await subject.get('/api/v1/tasks/1')
      if (working && status === 200) answered += 1
      await pause(10)
    }
    expect(await run).toBe(true)
    expect(answered).toBeGreaterThan(3)
    const { state, steps: done } = await runOf(subject, sender)
    expect([state, done[0].error.detail]).toStrictEqual([
      'RUN_STATE_FAILED',
      'took longer than 1000 ms and was stopped',
    ])
  })
})
