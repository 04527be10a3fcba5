import { ChildProcess, execFileSync } from 'node:child_process'
import { expect, it, onTestFinished, vi } from 'vitest'
import { evaluateCel } from '../../src/cel/evaluate.ts'
import { EvaluatorError, MOST_WALL_MS } from '../../src/cel/evaluator.ts'
import { isUnreachable } from '../../src/database/unreachable.ts'
import { describeService } from '../support/databases.ts'

const signal = (name: 'KILL' | 'STOP') => {
  const children = execFileSync('pgrep', ['-P', `${process.pid}`, '-f', 'cel/process.js'], {
    encoding: 'utf8',
  })
  for (const pid of children.split('\n').filter(Boolean)) process.kill(Number(pid), `SIG${name}`)
}
const answer = (text: string, owner: string) => evaluateCel(text, '{}', owner).catch(String)

const works = () => expect.poll(() => answer('1 + 1', 'another')).toBe(2)

/** What happens to a process before each of the next questions. */
function whenAsked(happens: (child: ChildProcess) => void, questions = Infinity): void {
  const ref = vi.spyOn(ChildProcess.prototype, 'ref')
  let left = questions
  ref.mockImplementation(function (this: ChildProcess) {
    left -= 1
    if (left >= 0) happens(this)
  })
  onTestFinished(() => ref.mockRestore())
}

const DEATHS: readonly [string, (child: ChildProcess) => void][] = [
  ['is killed', ({ pid = 0 }) => process.kill(pid, 'SIGKILL')],
  [
    'was killed, and nobody has noticed',
    (child) => {
      const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }) // as of a database's socket
      process.nextTick(() => child.emit('error', error))
    },
  ],
]

it.each(DEATHS)('an expression whose process %s is evaluated by another one', async (_, happens) => {
  whenAsked(happens, 1)
  expect(await answer('1 + 1', 'one')).toBe(2)
})

it('expressions of which all processes are killed are evaluated by others', async () => {
  await works()
  signal('KILL')
  const owners = ['one', 'two', 'three', 'four']
  expect(await Promise.all(owners.map((owner) => answer('1 + 1', owner)))).toEqual([2, 2, 2, 2])
})

it('an evaluation whose process is stuck may be tried again after ten seconds, and the next one works', async () => {
  await works()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  signal('STOP')
  const stuck = answer('1 + 1', 'one')
  await vi.advanceTimersByTimeAsync(MOST_WALL_MS)
  expect(await stuck).toMatch(/^BusyError: /) // a CelError would end the run
  vi.useRealTimers()
  await works()
})

describeService('a service whose processes for expressions fail', (subject) => {
  it.each(DEATHS)(
    'a task is refused for what it is, not as an outage, if each process %s',
    async (_, happens) => {
      const { body } = await subject.post('/api/v1/policies', {
        displayName: 'p',
        policyType: 'POLICY_TYPE_GRANT',
        policySteps: { grant: { steps: [{ approval: {} }] } },
        rules: [{ condition: 'true', policyKey: 'grant' }],
      })
      const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
      const create = () => subject.post('/api/v1/tasks', { type: { grant }, policyId: body.policy.id })
      whenAsked(happens)
      const refused = await create()
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        ...[503, 'evaluator_failed', '5'],
      ])
      const reported = subject.reports.at(-1)
      expect(reported).toBeInstanceOf(EvaluatorError)
      expect(isUnreachable(reported)).toBe(false)
      vi.restoreAllMocks()
      expect((await create()).status).toBe(200)
    },
  )
})
