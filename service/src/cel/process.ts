import { createContext, Script } from 'node:vm'
import { memberOf } from '../member-of.ts'
import { celError, evaluateHere } from './engine.ts'
import { type Answer, MOST_CPU_MS, MOST_WALL_MS, type Question, TOOK_TOO_LONG } from './evaluator.ts'

/** The wall time of a try has to be a little longer than the CPU time that it may take. */
const SPARE = 1.1

/** `vm` stops what it runs after a time, even in a function from outside. */
const call = new Script('work()')
const room = createContext({ work: () => {} })

// Ignores Ctrl-C, so that the service can finish its runs. Ends together with the service.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})
process.on('disconnect', () => process.exit())
process.on('message', (question: Question) => process.send?.(answerTo(question)))

function answerTo({ expression, ctx }: Question): Answer {
  try {
    return { result: inTime(() => evaluateHere(expression, ctx)) }
  } catch (error) {
    return { refused: celError(error).message }
  }
}

/**
 * Limits the CPU time, though `vm` knows only wall time: on a busy machine, the next try gets as long as the rest of the CPU
 * time takes there. After the limit the process ends, because nobody knows what was stopped halfway.
 */
function inTime(work: () => string): string {
  const [before, began] = [process.cpuUsage(), performance.now()]
  room.work = work
  for (let wallMs = MOST_CPU_MS; ; ) {
    try {
      return call.runInContext(room, { timeout: Math.ceil(Math.min(wallMs, MOST_WALL_MS) * SPARE) })
    } catch (error) {
      if (memberOf(error, 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      const cpuMs = (user + system) / 1_000
      if (cpuMs >= MOST_CPU_MS) process.exit(TOOK_TOO_LONG)
      wallMs = ((MOST_CPU_MS - cpuMs) / cpuMs) * (performance.now() - began)
    }
  }
}
