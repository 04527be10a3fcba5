import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { shellQuote } from '../../../cli/command-line/shell.ts'
import { FIRST_LINES } from './first-lines.ts'
import { MISTAKES } from './mistakes.ts'
import { PUBLIC_URL, SENDERS, type Sender } from './senders.ts'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A process at a terminal of its own, which `script` of util-linux makes, and what it has written. */
function atTerminal(
  command: string,
  { env, cwd = ROOT }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
) {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text.replaceAll('\r\n', '\n')
  })
  child.stdin.on('error', () => {}) // a program that refuses its secret has ended before it is told to
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const over = new Promise((resolve) => child.once('exit', resolve))
    child.stdin.write('\u0003') // Ctrl-C, for the process at the terminal
    setTimeout(() => child.kill('SIGKILL'), 5000).unref()
    await over
  })
  return { written: () => written, type: (text: string) => child.stdin.write(text), child }
}

/** What a program has written to standard error, which is a pipe, after it has refused an unsigned delivery and has ended. */
function throughPipe(env: NodeJS.ProcessEnv): string {
  const short = fileURLToPath(new URL('short.mjs', import.meta.url))
  const { PATH, HOME } = process.env
  return spawnSync(process.execPath, [short], { encoding: 'utf8', env: { PATH, HOME, ...env } }).stderr
}

/** The first line at the terminal after the URL or, if the program does not start, the line with its error. */
async function firstLine(name: string, sender: Sender, title: string): Promise<string> {
  const mistake = MISTAKES[title]?.(name) ?? {}
  const { secret = () => sender.secret, before, allowedCidrs } = mistake
  const { written } = atTerminal(`exec ${shellQuote(process.execPath)} ${shellQuote(PROGRAM)}`, {
    env: {
      SENDER: name,
      SECRET: secret(sender),
      BEFORE: before,
      ALLOWED: allowedCidrs?.[0],
      PUBLIC_URL,
    },
  })
  await expect.poll(written).toMatch(/^http:.*\n|^ListenerConfigError.*\n/m)
  const url = /^http:\S+/m.exec(written())?.[0]
  if (url === undefined) return /^ListenerConfigError.*$/m.exec(written())?.[0] ?? ''
  const now = Date.now()
  const sent = mistake.sent ?? (() => sender.sign(sender.secret, now))
  const response = await fetch(url, { method: 'POST', ...(await sent(sender, now, name)) })
  expect(response.ok).toBe(false)
  await expect.poll(() => written().split('\n').length).toBeGreaterThan(2)
  const line = written().split('\n')[1] ?? ''
  return line.replace(/ 36\d\d s old /, ' 3600 s old ') // the clock of the program goes on
}

const cells = [
  ...Object.keys(MISTAKES).map((title) => ['stripe', title] as const),
  ...['github', 'slack', 'twilio', 'shopify'].map(
    (name) => [name, 'the secret is of another endpoint, or of the other mode'] as const,
  ),
]

describe('at a real terminal', () => {
  it.each(cells)(
    'a program that receives from %s names the mistake in its first line: %s',
    async (name, title) => {
      const sender = SENDERS[name]
      if (sender === undefined) throw new Error('no such sender')
      expect(await firstLine(name, sender, title)).toContain(FIRST_LINES[title]?.(name))
    },
  )

  it('a program that ends at once has written its line before, and does not wait for more', async () => {
    const short = fileURLToPath(new URL('short.mjs', import.meta.url))
    const { written, child } = atTerminal(`exec ${shellQuote(process.execPath)} ${shellQuote(short)}`, {})
    await once(child, 'close')
    expect(written()).toMatch(
      /^hookgate: listener "short" refused a delivery: auth_missing\. No X-Hub-Signature-256 header/,
    )
  })

  it('without a terminal, the same program has the line of a log, and is kept alive by no explanation', () => {
    // As they are, a machine that stands still for 20 ms lets the explanation begin.
    expect(throughPipe({ TIMERS: 'slow' })).toMatch(
      /^hookgate: listener "short" refused a delivery: auth_missing\. What to do: https:\S+ \(set onVerdict [^\n]*\n$/,
    )
  })

  it('without a terminal, HOOKGATE_EXPLAIN=1 has the line of a terminal', () => {
    expect(throughPipe({ HOOKGATE_EXPLAIN: '1' })).toMatch(
      /^hookgate: listener "short" refused a delivery: auth_missing\. No X-Hub-Signature-256 header/,
    )
  })

  it('the command of that line runs as it is printed: it asks for the secret, and hides it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    symlinkSync(ROOT, join(folder, 'node_modules/hookgate'))
    symlinkSync('../hookgate/dist/cli/main.js', join(folder, 'node_modules/.bin/hookgate'))
    const stripe = SENDERS.stripe
    if (stripe === undefined) throw new Error('no such sender')
    const line = await firstLine('stripe', stripe, 'the secret is of another endpoint, or of the other mode')
    const command = /npx --no-install .*$/.exec(line)?.[0] ?? ''
    const { written, type } = atTerminal(`${command} --port 0`, { cwd: folder })
    await expect.poll(written).toContain('Paste the signing secret (not shown): ')
    type(`${stripe.secret}\r`)
    await expect.poll(written).toMatch(/Listening on http:[\s\S]*Inspector: http:/)
    expect(written()).not.toContain(stripe.secret)
  })
})
