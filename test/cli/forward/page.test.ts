import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FORWARD_OPTIONS } from '../../../cli/forward/forward-options.ts'
import { github } from '../../../src/schemes/github.ts'
import { signAs } from '../../../src/testing/index.ts'
import { run, SECRET, startListener, temporaryDirectory } from '../support.ts'
import { closedPort } from './app.ts'
import { APP_SECRET, deliver, openGateway } from './gateway.ts'

const OTHER_SECRET = `whsec_${Buffer.from('another-app-0123456789-abcdefghijklmnop').toString('base64')}`
const page = () => readFile(new URL('../../../docs/forward.md', import.meta.url), 'utf8')

/** The page's only program of a language. */
async function programIn(language: string): Promise<string> {
  const found = [...(await page()).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? ''
}

const PYTHON = ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['--version']).status === 0)
const NO_PYTHON = PYTHON ? '' : ' (skipped: no Python here)'

async function startPythonApp(): Promise<string> {
  const env = { ...process.env, FORWARD_SECRET: APP_SECRET, PORT: '0' }
  const program = await programIn('python')
  const child = spawn(PYTHON ?? '', ['-c', program], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const [port] = await once(child.stdout, 'data')
  return `http://127.0.0.1:${Number(port)}/`
}

test.skipIf(NO_PYTHON)(
  `the app of docs/forward.md in Python accepts only what the gateway signed for it${NO_PYTHON}`,
  async () => {
    const app = await startPythonApp()
    const signing = await openGateway(app, { secret: APP_SECRET })
    expect((await deliver(signing.url, undefined, '{"text":"ä 😀"}')).status).toBe(200)
    const ofForms = await openGateway(app, { secret: APP_SECRET, auth: github({ secrets: SECRET }) })
    const form = { secret: SECRET, body: 'payload=%7B%22ref%22:%22a%22%7D', eventType: 'push' }
    const signed = await signAs(github, { ...form, contentType: 'application/x-www-form-urlencoded' })
    expect((await fetch(ofForms.url, signed)).status).toBe(200)
    const wrong = await openGateway(app, { secret: OTHER_SECRET })
    expect((await deliver(wrong.url)).status).toBe(401)
    const unsigned = await openGateway(app)
    expect((await deliver(unsigned.url)).status).toBe(401)
  },
)

test.skipIf(NO_PYTHON)(
  `the app of docs/forward.md in Python refuses strangers and old deliveries with 401, and survives them${NO_PYTHON}`,
  async () => {
    const app = await startPythonApp()
    const key = Buffer.from(APP_SECRET.slice('whsec_'.length), 'base64')
    const now = Math.floor(Date.now() / 1000)
    const signatureAt = (time: string) =>
      `v1,${createHmac('sha256', key).update(`id.${time}.{}`).digest('base64')}`
    const statusOf = async (time: string, signature: string) => {
      const headers = {
        'webhook-id': 'id',
        'webhook-timestamp': time,
        'webhook-signature': signature,
      }
      return (await fetch(app, { method: 'POST', headers, body: '{}' })).status
    }
    const right = signatureAt(`${now}`)
    const statuses = [
      await statusOf(`${now}`, right),
      await statusOf(`${now}`, `v1,${'A'.repeat(43)}= ${right}`),
      await statusOf(`${now - 240}`, signatureAt(`${now - 240}`)),
      await statusOf(`${now - 360}`, signatureAt(`${now - 360}`)),
      await statusOf(`${now + 360}`, signatureAt(`${now + 360}`)),
      await statusOf('9'.repeat(5000), right),
      await statusOf('now', right),
      await statusOf(`${now}`, 'v1,\u00e4'),
      await statusOf(`${now}`, ''),
      await statusOf(`${now}`, right.replace('v1,', 'v2,')),
    ]
    expect(statuses).toEqual([200, 200, 200, 401, 401, 401, 401, 401, 401, 401])
  },
)

/** The instructions of a Dockerfile, in their order. A backslash continues a line. */
function instructionsOf(dockerfile: string): readonly (readonly [name: string, value: string])[] {
  return dockerfile
    .replaceAll('\\\n', '')
    .trim()
    .split('\n')
    .map((line) => [line.replace(/ .*/, ''), line.replace(/^\S+ /, '')] as const)
}

test('the container of docs/forward.md runs as another user than root, with a command that its health check believes', async () => {
  const instructions = instructionsOf(await programIn('dockerfile'))
  const names = instructions.map(([name]) => name)
  expect(names).toEqual([
    ...['FROM', 'COPY', 'RUN', 'RUN', 'USER', 'WORKDIR', 'EXPOSE'],
    ...['HEALTHCHECK', 'ENTRYPOINT'],
  ])
  const { FROM = '', USER, HEALTHCHECK = '', ENTRYPOINT = '' } = Object.fromEntries(instructions)
  expect(FROM).toMatch(/^node:\d+-slim$/)
  expect(USER).toBe('node') // a user of Node's images
  const [program, command, ...args]: string[] = JSON.parse(ENTRYPOINT)
  expect([program, command]).toEqual(['hookgate', 'listen'])
  const cwd = await temporaryDirectory()
  const checkAt = (port: string, path = '/healthz') => {
    const check = HEALTHCHECK.replace(/^CMD /, '').replace(':8787/', `:${port}/`)
    return run('sh', ['-c', check.replace('/healthz', path)], {})
  }
  expect((await checkAt(`${await closedPort()}`)).code).toBe(1)
  const gateway = await startListener([...args, '--forward-to', '3000'], {
    cwd,
    env: { HOOKGATE_SECRET: SECRET, HOOKGATE_FORWARD_SECRET: APP_SECRET },
  })
  const { port } = new URL(gateway.url)
  expect((await checkAt(port)).code).toBe(0)
  expect((await checkAt(port, '/other')).code).toBe(1)
})

test('docs/forward.md has a row for every option', async () => {
  const text = await page()
  for (const option of Object.keys(FORWARD_OPTIONS)) expect(text).toContain(`| \`--${option}`)
})
