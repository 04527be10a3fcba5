import type { ChildProcess } from 'node:child_process'

/** Resolves when the process has written the words to stderr. @throws if it ends first, with its output. */
export function waitForStderr(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr?.on('data', (chunk) => {
      log += chunk
      if (log.includes(words)) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended: ${log}`)))
  })
}
