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

/** The first line that a person sees: of the console or, if the program does not start, of its error. */
async function firstLine(name: string, sender: Sender, mistake: Mistake): Promise<string> {
  vi.stubEnv('NODE_ENV', 'development') // Express writes errors to the console
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
    await expect.poll(() => said).not.toEqual([])
    server.close()
  } catch (error) {
    if (said.length === 0) said.push(`${error}`)
  }
  return said[0]?.split('\n', 1)[0] ?? ''
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

it('the table has fifteen mistakes and five senders', () => {
  expect(Object.keys(FIRST_LINES)).toEqual(Object.keys(MISTAKES))
  expect([Object.keys(MISTAKES).length, Object.keys(SENDERS).length]).toEqual([15, 5])
})
