import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { evaluateCel } from '../../src/cel/evaluate.ts'

/** Nested loops that run into the limit of one second. */
const LIST = `[${Array.from({ length: 20 }, (_, number) => number)}]`
const SLOW = `${Array.from('abcdefg', (name) => `${LIST}.all(${name}, `).join('')}true${')'.repeat(7)}`

const signal = (name: 'KILL' | 'STOP') => {
  const children = execFileSync('pgrep', ['-P', `${process.pid}`, '-f', 'cel/process.js'], {
    encoding: 'utf8',
  })
  for (const pid of children.split('\n').filter(Boolean)) process.kill(Number(pid), `SIG${name}`)
}
const answer = (text: string, owner: string) => evaluateCel(text, '{}', owner).catch(String)

const works = () => expect.poll(() => answer('1 + 1', 'another')).toBe(2)

it('an evaluation whose process is killed fails as one that may be tried again, and the next one works', async () => {
  await works()
  const slow = answer(SLOW, 'slow')
  signal('KILL')
  expect(await slow).toMatch(/^Error: /) // a CelError would end the run
  await works()
})

it('an evaluation whose process is stuck may be tried again after ten seconds, and the next one works', async () => {
  await works()
  const slow = answer(SLOW, 'slow')
  signal('STOP')
  expect(await slow).toMatch(/^BusyError: /) // a CelError would end the run
  await works()
}, 60_000)
