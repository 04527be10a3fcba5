import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'
import { act, readAudits, readTask } from './acting.ts'
import { setUp } from './automations.ts'
import { createTask } from './creating-tasks.ts'
import { deliver } from './delivering.ts'
import { misuseToken, readPage } from './lists.ts'
import { Random } from './random.ts'
import { World } from './world.ts'
import { deletePolicy, readPolicy, writePolicy } from './writing-policies.ts'

/** `MODEL_CALLS=100000 MODEL_SEED=7 npm run test:service -- test/model` */
const CALLS = Number(process.env.MODEL_CALLS ?? 200)
const SEED = Number(process.env.MODEL_SEED ?? 1)

const ACTS = [
  ...[createTask, createTask, createTask, act, act, act, act, act, act, readTask, readAudits],
  ...[writePolicy, writePolicy, writePolicy, deletePolicy, readPolicy, readPage, readPage, misuseToken],
  ...[setUp, deliver, deliver],
]

describeService('in random sequences of requests', (subject) => {
  it('the service answers as specified', { timeout: 60_000 + CALLS * 1_000 }, async () => {
    const random = new Random(SEED)
    const world = await World.begin(subject, random)
    while (world.count < CALLS) {
      if (random.chance(0.3)) subject.clock.advance(Math.floor(random.below(5_000)))
      try {
        await (world.tasks.length === 0 ? createTask : random.pick(ACTS))(world)
      } catch (error) {
        throw new Error(`MODEL_SEED=${SEED}, call ${world.count}:\n${world.calls.join('\n')}`, {
          cause: error,
        })
      }
    }
    expect(subject.reports.filter((said) => typeof said !== 'string')).toEqual([]) // texts name refusals
  })
})
