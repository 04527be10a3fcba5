import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY)

/** Asks a person at a terminal, without showing the answer. Undefined if there is no terminal, or no answer. */
export async function askHidden(question: string): Promise<string | undefined> {
  if (!canAsk()) return undefined
  process.stderr.write(`${question}: `)
  const output = new Writable({ write: (_chunk, _encoding, written) => written() })
  const answer = await answerTo('', output)
  process.stderr.write('\n')
  return answer || undefined
}

/** Asks a person at a terminal. Only `y` and `yes` are a yes. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await answerTo(`${question} [y/N] `, process.stderr)
  if (answer === undefined) process.stderr.write('\n')
  return /^y(?:es)?$/i.test(answer ?? '')
}

/** One line. Undefined after Ctrl-C and Ctrl-D. */
async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const over = new AbortController()
  lines.once('SIGINT', () => over.abort()).once('close', () => over.abort())
  try {
    return (await lines.question(question, { signal: over.signal })).trim()
  } catch {
    return undefined
  } finally {
    lines.close()
  }
}
