import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CelError } from './engine.ts'
import { tooMuchMemory } from './evaluator.ts'
import type { Answer, Question } from './thread.ts'

/** What was built, also for the tests: Node runs no TypeScript there. */
const PROCESS = fileURLToPath(new URL('../../dist/cel/process.js', import.meta.url))

/**
 * An evaluator in a process of its own: a text that is larger than the memory of a thread (`names.join(separator)` over
 * 64 KB can be) ends the whole process that the thread is in.
 */
export class EvaluatorProcess {
  #child: ChildProcess | undefined

  /** @throws CelError also for an expression that used up its time or its memory. */
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
      throw new Error(`the process that evaluates expressions ended (${signal ?? code})`)
    })
    try {
      child.send(question)
      const [answer]: Answer[] = await Promise.race([once(child, 'message', over), ended])
      if (answer === undefined) throw new TypeError('the process that evaluates expressions said nothing')
      return answer
    } finally {
      over.abort()
      child.unref() // the service does not wait for it
      child.channel?.unref()
    }
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    const child = fork(PROCESS, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    child.once('exit', () => {
      this.#child = undefined
    })
    child.on('error', () => {}) // who waits for an answer hears of it, too
    this.#child = child
    return child
  }
}
