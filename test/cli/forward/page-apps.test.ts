import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Authenticator } from '../../../src/index.ts'
import { github } from '../../../src/schemes/github.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { signAs } from '../../../src/testing/index.ts'
import { ROOT } from '../support.ts'
import { APP_SECRET, openGateway } from './gateway.ts'

const OWN = 'a-secret-of-the-sender-0123456789'
const URL_ = 'https://receiver.example/hooks'
const FORM = 'application/x-www-form-urlencoded'

/** The program in TypeScript of docs/forward.md, which is JavaScript too. */
async function program(): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/forward.md'), 'utf8')
  const [, found] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
  if (found === undefined) throw new Error('docs/forward.md has no program in TypeScript')
  return found
}

/** Runs a program of the page as it is, in a folder of this package so that it finds `hookgate`. Returns the app's URL. */
async function run(files: { readonly [name: string]: string }): Promise<{ url: string; said: () => string }> {
  const folder = join(ROOT, 'node_modules', '.cache', `forward-page-${crypto.randomUUID()}`)
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, program] of Object.entries(files)) await writeFile(join(folder, name), program)
  const env = { ...process.env, FORWARD_SECRET: APP_SECRET, PORT: '0' }
  const child = spawn(process.execPath, [join(folder, 'app.mjs')], { cwd: ROOT, env, stdio: 'pipe' })
  endWithTest(child)
  let text = ''
  const said = () => text
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk
  })
  await expect.poll(said).toMatch(/port: \d+/)
  return { url: `http://localhost:${/port: (\d+)/.exec(text)?.[1]}/webhooks`, said }
}

function endWithTest(child: ChildProcess): void {
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
}

interface Attempt {
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** Sends a delivery and its replay through the gateway to an app of the page, and returns their statuses. */
async function statusesOf(appUrl: string, auth: Authenticator, attempt: Attempt): Promise<readonly number[]> {
  const gateway = await openGateway(appUrl, { auth, secret: APP_SECRET })
  const statuses: number[] = []
  for (const _ of ['delivery', 'replay']) {
    const { status } = await fetch(gateway.url, { method: 'POST', ...attempt })
    statuses.push(status)
  }
  return statuses
}

const signedTwilio = () =>
  signAs(twilio, { secret: OWN, publicUrl: URL_, body: 'AccountSid=AC1&Body=Hi', contentType: FORM })

test('the app of docs/forward.md with hookgate runs as it is, and gets JSON and forms', async () => {
  const { url, said } = await run({ 'app.mjs': await program() })
  const signed = await signAs(stripe, { secret: OWN, body: '{"id":"evt_1","n":"as sent"}' })
  expect(await statusesOf(url, stripe({ secrets: OWN }), signed)).toEqual([204, 200])
  await expect.poll(said).toMatch(/^[0-9a-f-]{14}4[0-9a-f-]{21} evt_1 \{ id: 'evt_1', n: 'as sent' \}$/m)
  const senders: readonly (readonly [Authenticator, Attempt, RegExp])[] = [
    [twilio({ secrets: OWN, publicUrl: URL_ }), await signedTwilio(), /AccountSid: 'AC1', Body: 'Hi'/],
    [
      slack({ secrets: OWN }),
      await signAs(slack, { secret: OWN, body: 'command=%2Fgo&text=now', contentType: FORM }),
      /command: '\/go', text: 'now'/,
    ],
    [
      github({ secrets: OWN }),
      await signAs(github, { secret: OWN, body: { ref: 'a' }, contentType: FORM, eventType: 'push' }),
      /payload: '\{"ref":"a"\}'/,
    ],
    [stripe({ secrets: OWN }), await signAs(stripe, { secret: OWN, body: '{"id":"evt_2"}' }), /id: 'evt_2'/],
  ]
  for (const [auth, attempt, shown] of senders) {
    expect(await statusesOf(url, auth, attempt)).toEqual([204, 200])
    await expect.poll(said).toMatch(shown)
  }
})

test("Twilio's GET arrives as the form that its query is", async () => {
  const { url, said } = await run({ 'app.mjs': await program() })
  const { url: gatewayUrl } = await openGateway(url, {
    auth: twilio({ secrets: OWN, publicUrl: URL_ }),
    secret: APP_SECRET,
  })
  const query = '?AccountSid=AC1&Body=by+GET'
  const headers = {
    'x-twilio-signature': createHmac('sha1', OWN)
      .update(URL_ + query)
      .digest('base64'),
  }
  expect((await fetch(gatewayUrl + query, { headers })).status).toBe(204)
  await expect.poll(said).toMatch(/Body: 'by GET'/)
})
