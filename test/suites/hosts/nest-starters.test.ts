import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateSecret } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { expect, it, onTestFinished } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const STARTERS = join(
  here,
  'node_modules/@nestjs/schematics/dist/lib/application/files',
)
const TSC = join(here, 'node_modules/typescript-6.0/bin/tsc') // the major of the starters
const SECRET = generateSecret()

/** What `nest new --strict` makes of a file of the starter. */
const rendered = (text: string) =>
  text
    .replace(/<% if \(observe\) \{ %>[\s\S]*?<% \} %>/g, '')
    .replaceAll('<%= strict %>', 'true')
    .replace(/<%= \w+ %>/g, 'made-up')

/** A project of the starter with the module of docs/frameworks/nestjs.md, and the two changes that the page names. */
function projectOf(starter: string, ending: string): string {
  const folder = mkdtempSync(join(here, '.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(STARTERS, starter), folder, {
    recursive: true,
    filter: (path) => !path.includes('spec'),
  })
  const change = (
    name: string,
    edit: (text: string) => string = (text) => text,
  ) =>
    writeFileSync(
      join(folder, name),
      edit(rendered(readFileSync(join(folder, name), 'utf8'))),
    )
  for (const name of [
    'package.json',
    'tsconfig.build.json',
    'src/app.controller.ts',
    'src/app.service.ts',
  ])
    change(name)
  change('tsconfig.json', (text) =>
    text.replace(/"types": \[[^\]]*\]/, '"types": ["node"]'),
  ) // no tests here
  cpSync(
    join(here, 'webhooks.module.ts'),
    join(folder, 'src/webhooks.module.ts'),
  )
  change('src/app.module.ts', (text) =>
    `import { WebhooksModule } from './webhooks.module${ending}';\n${text}`.replace(
      'imports: [',
      'imports: [WebhooksModule',
    ),
  )
  change('src/main.ts', (text) =>
    text.replace('(AppModule)', '(AppModule, { rawBody: true })'),
  )
  return folder
}

/** A port that was free a moment ago: the starter prints none. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  await once(server.close(), 'close')
  return port
}

/** Starts the compiled project. */
async function started(folder: string): Promise<string> {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: `${port}`,
    STRIPE_WEBHOOK_SECRET: SECRET,
    NO_COLOR: '1',
  }
  const app = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env,
  })
  const gone = once(app, 'close')
  onTestFinished(async () => {
    app.kill('SIGKILL')
    await gone
  })
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer) => {
      said += chunk
      if (said.includes('successfully started'))
        resolve(`http://127.0.0.1:${port}`)
    }
    app.stdout.on('data', hear)
    app.stderr.on('data', hear)
    gone.then(() =>
      reject(new Error(`it ended before it was ready: ${said}`)),
    )
  })
}

it.each([
  ['CommonJS', 'ts', ''],
  ['ES modules', 'ts-esm', '.js'],
])(
  "the module compiles in Nest 12's own starter of %s, and accepts a signed webhook once",
  { timeout: 120_000 },
  async (_, starter, ending) => {
    const folder = projectOf(starter, ending)
    const compiled = promisify(execFile)(
      process.execPath,
      [TSC, '-p', 'tsconfig.build.json'],
      {
        cwd: folder,
      },
    )
    expect(await compiled.catch((error) => error.stdout)).toEqual({
      stdout: '',
      stderr: '',
    })
    const url = await started(folder)
    const request = await signAs(stripe, {
      secret: SECRET,
      body: { id: 'evt_1', type: 'invoice.paid' },
    })
    const post = async (body: string) => {
      const response = await fetch(`${url}/webhooks/stripe`, {
        ...request,
        body,
      })
      return `${response.status} ${await response.text()}`.trim()
    }
    // Nest says that it has started a moment before it listens.
    await expect
      .poll(() => post(`${request.body} `).catch(String))
      .toMatch(/^401 /)
    expect(await post(request.body)).toBe('200 {"received":true}')
    expect(await post(request.body)).toBe('200')
  },
)
