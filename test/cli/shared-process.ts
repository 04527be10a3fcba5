import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { cleanEnv, type Ended, MAIN, type Surroundings } from './support.ts'

const SHARED = fileURLToPath(new URL('./shared-process.mjs', import.meta.url))

const waiting = new Map<number, (ended: Ended) => void>()
let child: ChildProcess | undefined
let asked = 0

/** Ends with the test process, which closes the channel. */
function sharedProcess(): ChildProcess {
  if (child !== undefined) return child
  child = fork(SHARED, [MAIN], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' })
  child.on('message', ({ id, ...ended }: Ended & { readonly id: number }) => {
    waiting.get(id)?.(ended)
    waiting.delete(id)
  })
  child.unref()
  child.channel?.unref()
  return child
}

/**
 * Runs the built command line in a process that the cases of a file share, one after another: a tenth of the time of
 * `hookgate`. For commands that end by themselves. What a process does at its end, and what it prints of its own
 * invocation, is tested with `hookgate`.
 */
export function runCommand(
  args: readonly string[],
  { env, cwd, input = '' }: Surroundings = {},
): Promise<Ended> {
  asked += 1
  const id = asked
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve)
    sharedProcess().send({ id, args, env: cleanEnv(env), cwd, input }, (error) => error && reject(error))
  })
}
