import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { memberOf } from '../member-of.ts'
import { BusyError } from '../turns.ts'
import { CelError } from './engine.ts'

/** A request to the child process. One at a time. */
export interface Question {
  readonly expression: string
  /** JSON. */
  readonly ctx: string
}

/** JSON, or the message of a CelError. */
export type Answer = { readonly result: string } | { readonly refused: string }

/**
 * How much CPU time an expression may take, in milliseconds. Real ones take microseconds. Only a hostile one, such as
 * nested loops, takes this long.
 */
export const MOST_CPU_MS = 1_000
/** The exit code of a child process whose expression took longer. */
export const TOOK_TOO_LONG = 3
/** How long an expression may take on a busy machine, and how long a child process may be stuck. */
export const MOST_WALL_MS = 10_000
/** Far more memory than an expression over 64 KB needs. V8 aborts without it. */
const MOST_MB = 64
/** With a stack for bodies of many levels. */
const V8_OPTIONS = [`--max-old-space-size=${MOST_MB}`, '--max-semi-space-size=8', '--stack-size=1960']
/** How V8 aborts, where that is no signal. */
const ABORTED = 134

/** The built file, also in tests, because the child process runs no TypeScript. */
const PROCESS = fileURLToPath(new URL('../../dist/cel/process.js', import.meta.url))

/** No process could evaluate the expression, which may be right. A retry may succeed. */
export class EvaluatorError extends Error {
  override readonly name = 'EvaluatorError'
}

/** Evaluates in a child process. Starts another one after an expression that took too much time or memory. */
export class Evaluator {
  #child: ChildProcess | undefined

  /**
   * Tries again, in another process, if the first one cannot be started or is killed.
   *
   * @throws CelError also if the expression exceeds its time or memory.
   * @throws BusyError if the process is stuck, or the machine too busy for it.
   * @throws EvaluatorError if the second process fails too.
   */
  async evaluate(question: Question, isFirst = true): Promise<string> {
    try {
      return await this.#ask(question)
    } catch (cause) {
      if (cause instanceof CelError || cause instanceof BusyError) throw cause
      this.#kill() // its channel may break before its end is noticed
      if (isFirst) return this.evaluate(question, false)
      throw new EvaluatorError(`expressions cannot be evaluated: ${memberOf(cause, 'message')}`, { cause })
    }
  }

  async #ask(question: Question): Promise<string> {
    const child = this.#started()
    child.ref()
    const over = new AbortController()
    const late = setTimeout(() => this.#kill(), MOST_WALL_MS)
    const ended = once(child, 'exit', over).then(([code, signal]) => {
      throw child.killed ? new BusyError('no answer in time') : reasonFor(signal ?? code)
    })
    try {
      child.send(question)
      const [answer = { refused: 'cannot be evaluated' }]: Answer[] = await Promise.race([
        once(child, 'message', over),
        ended,
      ])
      if ('result' in answer) return answer.result
      throw new CelError(answer.refused)
    } finally {
      clearTimeout(late)
      over.abort()
      child.unref() // so that it does not keep the service alive
      child.channel?.unref()
    }
  }

  /** The next expression gets another process. */
  #kill(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    const child = fork(PROCESS, {
      env: {},
      execArgv: V8_OPTIONS,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    child.on('error', () => {}) // pending evaluations are rejected elsewhere
    if (child.pid === undefined) throw new Error('their process could not be started')
    this.#child = child
    return child
  }
}

function reasonFor(end: number | NodeJS.Signals): Error {
  if (end === TOOK_TOO_LONG) return new CelError(`took longer than ${MOST_CPU_MS} ms and was stopped`)
  if (end === 'SIGABRT' || end === ABORTED)
    return new CelError(`took more than ${MOST_MB} MB and was stopped`)
  return new Error(`their process ended (${end})`)
}
