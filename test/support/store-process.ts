import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('./store-worker.mjs', import.meta.url))
const SUBJECTS = new URL('../stores/subjects/', import.meta.url)

/** The deadline of a request and of a process's start. */
const PATIENCE_MS = 60_000
/** How long to wait for a process to exit. */
const PARTING_MS = 2_000

export interface SubjectChoice {
  /** The name of a file in test/stores/subjects, without `.mjs`. */
  readonly subject: string
  /** Passed to the subject's `open`: a port, a path, a prefix. */
  readonly config: unknown
  /** If aborted (e.g. by vitest's `signal`), all processes end at once. */
  readonly signal?: AbortSignal | undefined
}

interface Message {
  readonly id?: number
  readonly ready?: boolean
  readonly step?: string
  readonly answer?: unknown
  readonly failure?: string
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** A Node process with its own store. */
export class StoreProcess {
  /** The reported steps, in order. */
  readonly steps: string[] = []
  /** Called for each reported step. */
  onStep: (step: string) => void = () => {}
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #gone: Promise<unknown>
  #asked = 0

  private constructor({ subject, config }: SubjectChoice) {
    const path = fileURLToPath(new URL(`${subject}.mjs`, SUBJECTS))
    const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const
    this.#child = fork(WORKER, [path, JSON.stringify(config ?? null)], { execArgv: [], stdio: [...stdio] })
    let complaint = ''
    this.#child.stderr?.on('data', (bytes: Buffer) => {
      complaint = (complaint + bytes.toString()).slice(-2000)
    })
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    // Its messages may arrive after its exit.
    const drained = new Promise((resolve) => this.#child.once('disconnect', resolve))
    this.#gone = Promise.all([exited, drained])
    this.#child.on('message', (message: Message) => this.#receive(message))
    this.#child.on('error', (error) => this.#failAll(error))
    // Its stderr may close after its exit, or never.
    const said = new Promise((resolve) => this.#child.stderr?.once('close', resolve))
    void this.#gone
      .then(() => Promise.race([said, sleep(100)]))
      .then(() => this.#failAll(new Error(`a process of ${subject} ended: ${complaint}`)))
  }

  static async start(choice: SubjectChoice): Promise<StoreProcess> {
    const process = new StoreProcess(choice)
    try {
      await process.#wait(0, `${choice.subject} to open`)
      return process
    } catch (error) {
      await process.kill()
      throw error
    }
  }

  /** @throws when the subject throws, the process ends, or nothing comes for a minute. */
  ask(verb: string, request: object): Promise<unknown> {
    this.#asked += 1
    const answer = this.#wait(this.#asked, verb)
    this.#child.send({ id: this.#asked, verb, request })
    return answer
  }

  /** Kills the process. Resolves when it has exited and its output is read. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  /** Lets the process close its store, and kills it if it does not. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PARTING_MS)
    await this.#gone
    clearTimeout(timer)
  }

  #wait(id: number, what: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = () => this.#settle(id)?.reject(new Error(`waited ${PATIENCE_MS} ms for ${what}`))
      const timer = setTimeout(late, PATIENCE_MS)
      this.#waiting.set(id, {
        resolve: (answer) => {
          clearTimeout(timer)
          resolve(answer)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      })
    })
  }

  #receive({ id, ready, step, answer, failure }: Message): void {
    if (step !== undefined) {
      this.steps.push(step)
      this.onStep(step)
    } else if (ready) this.#settle(0)?.resolve(undefined)
    else if (failure !== undefined) this.#settle(id)?.reject(new Error(failure))
    else this.#settle(id)?.resolve(answer)
  }

  #settle(id: number | undefined): Waiting | undefined {
    const waiting = this.#waiting.get(id ?? -1)
    this.#waiting.delete(id ?? -1)
    return waiting
  }

  #failAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(error)
  }
}

/** Starts processes for `use`, and always ends all of them. */
export async function withProcesses<Result>(
  choice: SubjectChoice,
  use: (start: () => Promise<StoreProcess>) => Promise<Result>,
): Promise<Result> {
  const started = new Set<Promise<StoreProcess>>()
  let over = false
  const start = async () => {
    choice.signal?.throwIfAborted()
    if (over) throw new Error('too late to start a process')
    const starting = StoreProcess.start(choice)
    started.add(starting)
    return starting
  }
  const forEach = async (act: (process: StoreProcess) => Promise<void>) => {
    await Promise.allSettled([...started].map(async (starting) => act(await starting)))
  }
  const abort = () => void forEach((process) => process.kill())
  choice.signal?.addEventListener('abort', abort)
  try {
    return await use(start)
  } finally {
    over = true
    choice.signal?.removeEventListener('abort', abort)
    await forEach((process) => process.close())
  }
}
