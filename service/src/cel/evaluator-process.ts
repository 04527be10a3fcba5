import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CelError } from './engine.ts'
import { tooMuchMemory } from './evaluator.ts'
import type { Answer, Question } from './thread.ts'

/** The built file, also in tests, because the child process runs no TypeScript. */
const PROCESS = fileURLToPath(new URL('../../dist/cel/process.js', import.meta.url))

/**
 * An evaluator in a child process. A string larger than a thread's memory limit, e.g. from `names.join(separator)` over
 * 64 KB, ends the thread's whole process.
 */
export class EvaluatorProcess {
  #child: ChildProcess | undefined

  /** @throws CelError also if the expression exceeds its time or memory. */
  async evaluate(question: Question): Promise<string> {
    const answer = await this.#ask(question)
    if ('result' in answer) return answer.result
    throw new CelError(answer.refused)
  }

  async #ask(question: Question): Promise<Answer> {
    const child = this.#started()
    child.ref()
    const over = new AbortController()
    const ended = once(child, 'exit', over).then(([code, signal]) => {
      if (signal === 'SIGABRT' || code === 134) throw tooMuchMemory()
      throw new Error(`the process that evaluates expressions exited (${signal ?? code})`)
    })
    try {
      child.send(question)
      const [answer]: Answer[] = await Promise.race([once(child, 'message', over), ended])
      if (answer === undefined) throw new TypeError('the process that evaluates expressions sent no answer')
      return answer
    } finally {
      over.abort()
      child.unref() // so that it does not keep the service alive
      child.channel?.unref()
    }
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    const child = fork(PROCESS, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    child.once('exit', () => {
      this.#child = undefined
    })
    child.on('error', () => {}) // pending evaluations are rejected elsewhere
    // Kept, it would fail every later evaluation too: without a start there is no `exit`.
    if (child.pid === undefined)
      throw new Error('the process that evaluates expressions could not be started')
    this.#child = child
    return child
  }
}
