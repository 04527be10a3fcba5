import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CelError } from './engine.ts'
import type { Answer, Question } from './thread.ts'

/** A thread runs what was built, also for the tests: Node runs no TypeScript there. */
const THREAD = new URL('../../dist/cel/thread.js', import.meta.url)
/** Far more than an expression over 64 KB takes. A thread that wants more ends; at one stroke, it ends the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 }
/** How often an evaluation is begun anew that others on the machine have kept from its time. */
const MOST_ATTEMPTS = 10

/** Evaluates in a thread of its own, which is ended and replaced when an expression takes too long or too much. */
export class Evaluator {
  readonly #timeoutMs: number
  #thread: Promise<Worker> | undefined

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** @throws CelError also for an expression that used up its time or its memory. */
  async evaluate(question: Question): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const before = process.cpuUsage()
      const answer = await this.#attempt(question)
      if (answer !== undefined) {
        if ('result' in answer) return answer.result
        throw new CelError(answer.refused)
      }
      const { user, system } = process.cpuUsage(before)
      if ((user + system) / 1000 > this.#timeoutMs / 2 || attempt === MOST_ATTEMPTS) {
        throw new CelError(`took longer than ${this.#timeoutMs} ms and was stopped`)
      }
    }
  }

  /** Undefined when the time was over. */
  async #attempt(question: Question): Promise<Answer | undefined> {
    const thread = await this.#started()
    const outOfTime = new AbortController()
    const timer = setTimeout(() => outOfTime.abort(), this.#timeoutMs)
    try {
      thread.postMessage(question)
      const [answer]: Answer[] = await once(thread, 'message', { signal: outOfTime.signal })
      return answer
    } catch (error) {
      this.#thread = undefined
      await thread.terminate()
      if (outOfTime.signal.aborted) return undefined
      if (Reflect.get(Object(error), 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw tooMuchMemory()
    } finally {
      clearTimeout(timer)
    }
  }

  #started(): Promise<Worker> {
    this.#thread ??= start().catch((error) => {
      this.#thread = undefined
      throw error
    })
    return this.#thread
  }
}

export function tooMuchMemory(): CelError {
  return new CelError(`took more than ${RESOURCE_LIMITS.maxOldGenerationSizeMb} MB and was stopped`)
}

/** Of the environment it knows nothing, and no process waits for it. */
async function start(): Promise<Worker> {
  const thread = new Worker(THREAD, { resourceLimits: RESOURCE_LIMITS, env: {} })
  await once(thread, 'message')
  thread.unref()
  thread.on('error', () => {}) // who waits for an answer hears of it, too
  return thread
}
