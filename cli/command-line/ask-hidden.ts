import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks a person at a terminal, without showing the answer. Undefined if there is no terminal, or no answer. */
export async function askHidden(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) return undefined
  stderr.write(`${question}: `)
  const output = new Writable({ write: (_chunk, _encoding, written) => written() })
  const lines = createInterface({ input: stdin, output, terminal: true })
  const over = new AbortController()
  lines.once('SIGINT', () => over.abort()).once('close', () => over.abort()) // Ctrl-C, Ctrl-D
  try {
    return (await lines.question('', { signal: over.signal })).trim() || undefined
  } catch {
    return undefined
  } finally {
    lines.close()
    stderr.write('\n')
  }
}
