import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyWebhook } from '../../../adapters/express.ts'
import { defineListener } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { fakeClock } from '../../support/clock.ts'
import { appOf } from './app.mjs'
import { FIRST_LINES } from './first-lines.ts'
import { MISTAKES, type Mistake } from './mistakes.ts'
import { SENDERS, type Sender } from './senders.ts'

const clock = fakeClock(1_785_480_000_000)
const isTTY = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')

beforeAll(() => void Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true }))
afterAll(() => {
  Reflect.deleteProperty(process.stderr, 'isTTY')
  if (isTTY) Object.defineProperty(process.stderr, 'isTTY', isTTY)
})

let programs = 0

type Mode = 'development' | 'production'

/** The first line that a person sees: of the console or, if the program does not start, of its error. */
async function firstLine(
  ...given: readonly [name: string, sender: Sender, mistake: Mistake]
): Promise<string> {
  return (await linesOf('development', ...given))[0] ?? ''
}

/** What a program writes: in production, a line at once, and its explanation a moment later. */
async function linesOf(
  mode: Mode,
  name: string,
  sender: Sender,
  mistake: Mistake,
): Promise<readonly string[]> {
  vi.stubEnv('NODE_ENV', mode) // Express writes errors to the console in both
  programs += 1
  const id = `${name}-${programs}`
  const said: string[] = []
  // What earlier tests and files of this process have started may still write: each line that is taken for an own one puts off the next.
  const isOwn = (line: string) =>
    line.includes(`listener "${id}"`) || line.startsWith('ListenerConfigError: ')
  const say = (given: unknown) => void (isOwn(`${given}`) && said.push(`${given}`))
  vi.spyOn(console, 'warn').mockImplementation(say)
  vi.spyOn(console, 'error').mockImplementation(say)
  clock.advance(60_000)
  const {
    secret = () => sender.secret,
    sent = () => sender.sign(sender.secret, clock.now()),
    ...rest
  } = mistake
  try {
    const auth = sender.auth(secret(sender))
    const { before, allowedCidrs } = rest
    const listener = defineListener({ id, auth, store: memoryStore(), clock, allowedCidrs })
    const server = appOf(verifyWebhook, listener, before).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const delivery = await sent(sender, clock.now(), name)
    const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', ...delivery })
    expect(response.ok).toBe(false)
    const isOver = () => said.length > (mode === 'production' && said[0]?.startsWith('hookgate: ') ? 1 : 0)
    await expect.poll(isOver).toBe(true)
    server.close()
  } catch (error) {
    if (said.length === 0) said.push(`${error}`)
  }
  return said.map((line) => line.split('\n', 1)[0] ?? '')
}

describe.each(Object.entries(SENDERS))('the first line on the terminal, with %s', (name, sender) => {
  it.each(Object.entries(MISTAKES))('the first line names the mistake and its fix: %s', async (title, of) => {
    const line = await firstLine(name, sender, of(name))
    const expected = FIRST_LINES[title]?.(name)
    expect(line).toContain(expected)
    if (!line.startsWith('ListenerConfigError: '))
      expect(line).toMatch(
        / (?:More: https:\S+#[a-z_]+|To see what arrives, run: npx --no-install hookgate .*)$/,
      )
  })
})

/** What the line in production has of that on a terminal: nothing of the request, and no command to run. */
const inProduction = (line: string) =>
  line
    .replace(/To see what arrives, run: .*/, 'More: https://')
    .replace(/(?<=Content-Type is )"[^"]*"/, '…')
    .replace('publicUrl, https://shop.example/webhooks, is', 'publicUrl is')
    .replace(/(?<= signed )https?:.*(?=: set publicUrl)/, 'another URL than publicUrl')

describe('in production', () => {
  // The second number: how many the line that is written at once names, or the error at the start.
  it.each([
    ['stripe', 6],
    ['github', 3],
    ['slack', 6],
    ['twilio', 6],
    ['shopify', 6],
  ])(
    '%s: the log names fifteen of fifteen mistakes, as the terminal does, and %i in the line that comes at once',
    async (name, atOnce) => {
      const sender = SENDERS[name]
      if (sender === undefined) throw new Error('no such sender')
      const named = { atOnce: 0, explained: 0 }
      for (const [title, of] of Object.entries(MISTAKES)) {
        const lines = await linesOf('production', name, sender, of(name))
        const expected = inProduction(FIRST_LINES[title]?.(name) ?? '')
        expect(lines.join('\n'), title).toContain(expected)
        named.explained += 1
        if (lines[0]?.includes(expected)) named.atOnce += 1
      }
      expect(named).toEqual({ atOnce, explained: 15 })
    },
  )
})

it('the table has fifteen mistakes and five senders', () => {
  expect(Object.keys(FIRST_LINES)).toEqual(Object.keys(MISTAKES))
  expect([Object.keys(MISTAKES).length, Object.keys(SENDERS).length]).toEqual([15, 5])
})
