import { createInterface } from 'node:readline/promises'

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY)

/** Asks a person at a terminal. Only `y` and `yes` are a yes. */
export async function confirm(question: string): Promise<boolean> {
  const { stdin, stderr } = process
  const lines = createInterface({ input: stdin, output: stderr })
  const over = new AbortController()
  lines.once('SIGINT', () => over.abort()).once('close', () => over.abort()) // Ctrl-C, Ctrl-D
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `, { signal: over.signal })).trim())
  } catch {
    stderr.write('\n')
    return false
  } finally {
    lines.close()
  }
}
