import { expect, it } from 'vitest'
import { throttled } from '../../../cli/lib/throttle.ts'

/** The printed lines, and a function that ends the second. */
function spoken() {
  const said: string[] = []
  const due: (() => void)[] = []
  const say = throttled(
    (line) => said.push(line),
    (call, ms) => {
      expect(ms).toBe(1000)
      due.push(call)
    },
  )
  return { said, say, due, endSecond: () => due.shift()?.() }
}

it('each of five lines a second is printed, and no count', () => {
  const { said, say, endSecond } = spoken()
  for (const line of ['1', '2', '3', '4', '5']) say(line)
  endSecond()
  expect(said).toEqual(['1', '2', '3', '4', '5'])
})

it('the sixth line is held back, and a count is printed at the end of the second', () => {
  const { said, say, endSecond } = spoken()
  for (let line = 1; line <= 6; line += 1) say(`${line}`)
  expect(said).toHaveLength(5)
  endSecond()
  expect(said.slice(5)).toEqual(['hookgate: and 1 more like this within a second'])
})

it('the count starts again with the next line, and has one timer per second', () => {
  const { said, say, endSecond, due } = spoken()
  for (let line = 1; line <= 1000; line += 1) say('flood')
  expect(due).toHaveLength(1)
  endSecond()
  expect(due).toHaveLength(0)
  say('later')
  endSecond()
  expect(said.slice(5)).toEqual(['hookgate: and 995 more like this within a second', 'later'])
})
