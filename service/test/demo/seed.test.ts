import { expect, it } from 'vitest'
import { seed } from '../../src/demo/seed.ts'
import { NO_DEMO, storyOf } from '../../src/demo/story.ts'
import { DEMO, DEMO_LISTENERS } from '../../src/demo/tenant.ts'
import { shownSecrets } from '../../src/listeners/secrets.ts'
import { recordsOf, runsOf } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

describeService('the demo tenant', (subject) => {
  it('the demo HMAC listener has only the secret that is printed, under a fixed ID', async () => {
    const secrets = await shownSecrets(subject.database, DEMO_LISTENERS.hmac)
    expect(secrets.map(({ id }) => id)).toEqual([DEMO.secretId])
  })

  it('the demo tenant has four open tasks, whose first steps have fixed IDs', async () => {
    const { body } = await subject.post('/api/v1/search/tasks', { taskStates: ['TASK_STATE_OPEN'] })
    const tasks = body.list.map(({ task }) => [
      task.numericId,
      task.policy.current?.id,
      task.policy.next?.length,
    ])
    expect(tasks).toEqual([
      ['4', 'step-4', 0],
      ['3', 'step-3', 0],
      ['2', 'step-2', 2],
      ['1', 'step-1', 2],
    ])
  })

  it('the demo tenant has one run, which has succeeded, and its record', async () => {
    const hr = { automationId: 'automation-hr' }
    const [run, ...others] = await runsOf(subject, hr)
    expect([run?.id, run?.state, run?.steps.length, others]).toEqual([
      DEMO.runId,
      'RUN_STATE_SUCCEEDED',
      1,
      [],
    ])
    expect(await recordsOf(subject, hr)).toEqual([JSON.parse(run?.input ?? '')])
    const unfinished = await subject.database.query('SELECT FROM runs WHERE finished_at IS NULL')
    expect(unfinished).toEqual([])
  })

  it('the command that the service prints skips the first step of task 1, once', async () => {
    const story = await storyOf(subject.dependencies)
    const [, path = '', body] = /(\/api\S+\/skip-step) --data '(.+)'/.exec(story) ?? []
    const replies = [await subject.post(path, body), await subject.post(path, body)]
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, 'policy_step_done'],
    ])
  })

  it('the service prints no token once the demo token is revoked', async () => {
    await subject.database.query("UPDATE access_tokens SET revoked_at = now() WHERE id = 'demo'")
    expect(await storyOf(subject.dependencies)).toBe(NO_DEMO)
  })

  it('the demo tenant is created once, and never in a database that has users', async () => {
    const counts = () =>
      subject.database.query(
        'SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM runs), (SELECT count(*) FROM listener_secrets)',
      )
    const before = await counts()
    await seed(subject.dependencies)
    expect(await counts()).toEqual(before)
    await subject.database.query('DELETE FROM access_tokens')
    await seed(subject.dependencies)
    expect(await subject.database.query('SELECT FROM access_tokens')).toEqual([])
  })
})
