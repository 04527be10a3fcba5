import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FORWARD_OPTIONS, senderHeaders } from '../../../cli/forward/forward-options.ts'
import { discord } from '../../../src/schemes/discord.ts'
import { github } from '../../../src/schemes/github.ts'
import { rowsOf } from '../../../src/schemes/kit/header-families.ts'
import type { ValueLocation } from '../../../src/schemes/kit/scheme.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { meta } from '../../../src/schemes/meta.ts'
import { paddle } from '../../../src/schemes/paddle.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { svix } from '../../../src/schemes/svix.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { deliver, openGateway } from './gateway.ts'

const APP_SECRET = 'the-app-0123456789-abcdefghijklmnopqrstuvwx'
const page = () => readFile(new URL('../../../docs/forward.md', import.meta.url), 'utf8')

const PYTHON = ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['--version']).status === 0)
const NO_PYTHON = PYTHON ? '' : ' (skipped: no Python here)'

test.skipIf(NO_PYTHON)(
  `the app of docs/forward.md accepts only what the gateway signed for it${NO_PYTHON}`,
  async () => {
    const [, program = ''] = /^```python\n(.*?)^```$/ms.exec(await page()) ?? []
    const env = { ...process.env, FORWARD_SECRET: APP_SECRET, PORT: '0' }
    const child = spawn(PYTHON ?? '', ['-c', program], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const gone = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await gone
    })
    const [port] = await once(child.stdout, 'data')
    const app = `http://127.0.0.1:${Number(port)}/`
    const signing = await openGateway(app, { secret: APP_SECRET })
    expect((await deliver(signing.url, undefined, '{"text":"ä 😀"}')).status).toBe(200)
    const wrong = await openGateway(app, { secret: `${APP_SECRET}z` })
    expect((await deliver(wrong.url)).status).toBe(401)
    const unsigned = await openGateway(app)
    expect((await deliver(unsigned.url)).status).toBe(401)
  },
)

test('docs/forward.md has a row for every option', async () => {
  const text = await page()
  for (const option of Object.keys(FORWARD_OPTIONS)) expect(text).toContain(`| \`--${option}`)
})

test('docs/forward.md lists the headers that pass, and those that nothing signs', async () => {
  const text = await page()
  const factories = [
    stripe,
    github,
    slack,
    shopify,
    twilio,
    standardWebhooks,
    svix,
    linear,
    discord,
    meta,
    paddle,
  ]
  const forwarding = { secret: undefined, passesSenderHeaders: true }
  for (const { scheme } of factories) {
    const row = new RegExp(`^\\| ${scheme.sender} \\| (.*) \\| ?(.*?) ?\\|$`, 'm').exec(text) ?? []
    const [passed = [], unsigned = []] = row.slice(1).map((cell) => cell.toLowerCase().match(/[\w-]+/g) ?? [])
    expect([...passed].sort(), scheme.name).toEqual([...senderHeaders(forwarding, scheme)].sort())
    const free = rowsOf(scheme).flatMap(({ eventId, eventType }) =>
      [eventId, eventType].flatMap((place) => headerOf(place) ?? []),
    )
    const isSigned = (name: string) => name === headerOf(scheme.eventId) && `${scheme.signs}`.includes('{id}')
    expect(unsigned, scheme.name).toEqual(free.filter((name) => !isSigned(name)))
  }
})

const headerOf = (place: ValueLocation | undefined) => (place && 'header' in place ? place.header : undefined)
