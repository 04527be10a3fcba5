import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FORWARD_OPTIONS } from '../../../cli/forward/forward-options.ts'
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
