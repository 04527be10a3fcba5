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
/** How often the CPU time is read. */
const WATCH_MS = 50
/** The most time on a machine too busy to give it its CPU time, in multiples of that. */
const MOST_WALL_TIMES = 10

/** Evaluates in a worker thread. Replaces the thread if an expression takes too much time or memory. */
export class Evaluator {
  readonly #limitMs: number
  #thread: Promise<Worker> | undefined

  /** @param limitMs CPU time of this process, in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** @throws CelError also if the expression exceeds its time or memory. */
  async evaluate(question: Question): Promise<string> {
    const answer = await this.#ask(question)
    if ('result' in answer) return answer.result
    throw new CelError(answer.refused)
  }

  async #ask(question: Question): Promise<Answer> {
    const thread = await this.#started()
    const outOfTime = new AbortController()
    const isOver = clockOf(this.#limitMs)
    const watch = setInterval(() => {
      if (isOver()) outOfTime.abort()
    }, WATCH_MS)
    try {
      thread.postMessage(question)
      const [answer]: Answer[] = await once(thread, 'message', { signal: outOfTime.signal })
      if (answer === undefined) throw new TypeError('the thread that evaluates expressions sent no answer')
      return answer
    } catch (error) {
      this.#thread = undefined
      await thread.terminate()
      if (outOfTime.signal.aborted) throw new CelError(`took longer than ${this.#limitMs} ms and was stopped`)
      if (memberOf(error, 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw tooMuchMemory()
    } finally {
      clearInterval(watch)
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

/** Says whether this process has used so much CPU time since the call. The wall clock would count other processes too. */
function clockOf(limitMs: number): () => boolean {
  const [before, began] = [process.cpuUsage(), performance.now()]
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > limitMs || performance.now() - began > limitMs * MOST_WALL_TIMES
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
