import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { memberOf } from '../member-of.ts'
import { CelError } from './engine.ts'
import type { Answer, Question } from './thread.ts'

/** The built file, also in tests, because a thread runs no TypeScript. */
const THREAD = new URL('../../dist/cel/thread.js', import.meta.url)
/**
 * Far more than an expression over 64 KB needs. A thread that exceeds it ends. A single huge allocation ends the
 * process.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 }
/** How often an evaluation is retried if a busy machine kept it from its CPU time. */
const MOST_ATTEMPTS = 10

/** Evaluates in a worker thread. Replaces the thread if an expression takes too much time or memory. */
export class Evaluator {
  readonly #timeoutMs: number
  #thread: Promise<Worker> | undefined

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** @throws CelError also if the expression exceeds its time or memory. */
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

  /** Undefined after a timeout. */
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
      if (memberOf(error, 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
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

/** The thread gets an empty environment and does not keep the process alive. */
async function start(): Promise<Worker> {
  const thread = new Worker(THREAD, { resourceLimits: RESOURCE_LIMITS, env: {} })
  await once(thread, 'message')
  thread.unref()
  thread.on('error', () => {}) // pending evaluations are rejected elsewhere
  return thread
}
