import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { MAIN, SECRET } from '../support.ts'

/** util-linux's `script` makes a terminal. The one of macOS takes other options. */
const IS_TERMINAL_THERE = `${spawnSync('script', ['--version']).stdout}`.includes('util-linux')
export const NO_TERMINAL = IS_TERMINAL_THERE ? '' : ' (skipped: no util-linux script to make a terminal with)'

/** Runs `hookgate` in a terminal, and returns what it shows. */
export function inTerminal(line: string, env: NodeJS.ProcessEnv = {}) {
  // Besides NO_COLOR, Node reads `CI` and NODE_DISABLE_COLORS, which switch colour off.
  const { PATH, HOME } = process.env
  const command = `${process.execPath} ${MAIN} ${line}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm', HOOKGATE_SECRET: SECRET, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  let text = ''
  const shown = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(text)
      if (match) return match
      const [chunk] = await Promise.race([once(child.stdout, 'data'), gone.then(() => [undefined])])
      if (chunk === undefined) throw new Error(`it ended without ${pattern}: ${text}`)
    }
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const press = (key: string) => void child.stdin.write(key)
  /** Closes the terminal's window. */
  const close = () => void child.kill('SIGKILL')
  return { shown, press, close, ended: gone, text: () => text }
}
