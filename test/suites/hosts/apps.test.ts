import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateSecret } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { twilio } from 'hookgate/schemes/twilio'
import { signAs } from 'hookgate/testing'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  type RedisServer,
  startRedis,
} from '../../support/redis-server.ts'

const SECRET = generateSecret()

const root = fileURLToPath(new URL('../../..', import.meta.url))
const here = join(root, 'test/suites/hosts')
const { STRIPE_WEBHOOK_SECRET: _, REDIS_URL: __, ...rest } = process.env
const env = {
  ...rest,
  NEXT_TELEMETRY_DISABLED: '1',
  PORT: '0',
  HOST: '127.0.0.1',
}
let redis: RedisServer

beforeAll(async () => {
  redis = await startRedis()
  return () => redis.close()
})

interface App {
  readonly name: string
  /** Where the framework expects which file of examples. */
  readonly routes: { readonly [route: string]: string }
  /** The paths of these routes. */
  readonly paths: readonly string[]
  readonly build: readonly string[]
  readonly start: readonly string[]
  /** What it prints when it is ready. */
  readonly ready: RegExp
  /** What else it must do. */
  readonly also?: (url: string) => Promise<void>
}

const NEXT = join(here, 'node_modules/next/dist/bin/next')
const VITE = join(here, 'node_modules/vite/bin/vite.js')

const APPS: readonly App[] = [
  {
    name: 'next',
    routes: {
      'app/webhooks/stripe/route.ts': 'web/next.ts',
      'pages/api/webhooks/stripe.ts': 'web/next-pages.ts',
      'app/quickstart/stripe/route.js': 'quickstart/next.mjs', // two routes cannot have one path
    },
    paths: [
      '/webhooks/stripe',
      '/api/webhooks/stripe',
      '/quickstart/stripe',
    ],
    build: [NEXT, 'build'],
    start: [NEXT, 'start', '-p', '0', '-H', '127.0.0.1'],
    ready: /(http:\/\/127\.0\.0\.1:\d+).*Ready in/s,
  },
  {
    name: 'sveltekit',
    routes: {
      'src/routes/webhooks/stripe/+server.ts': 'web/sveltekit.ts',
    },
    paths: ['/webhooks/stripe'],
    build: [VITE, 'build'],
    start: ['build/index.js'],
    ready: /Listening on (http:\S+)/,
    also: takesFormsOfSendersOnly,
  },
]

/** With the setting and the hook that docs/frameworks/sveltekit-nuxt-astro.md shows. */
async function takesFormsOfSendersOnly(url: string): Promise<void> {
  const publicUrl = 'https://example.com/webhooks/twilio'
  const form = await signAs(twilio, {
    secret: SECRET,
    body: 'From=%2B1&Body=Hi',
    publicUrl,
  })
  const post = async (
    path: string,
    headers: { readonly [name: string]: string },
  ) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: form.body,
    })
    return `${response.status} ${await response.text()}`
  }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(await post('/webhooks/twilio', type)).toMatch(/^401 /) // not signed
  expect(await post('/webhooks/twilio', form.headers)).toBe('200 Hi')
  const forbidden = '403 Cross-site forms are forbidden'
  expect(await post('/contact', type)).toBe(forbidden)
  expect(
    await post('/contact', { ...type, origin: 'https://evil.example' }),
  ).toBe(forbidden)
  const origin = url.replace('http:', 'https:') // adapter-node takes every request for https
  expect(await post('/contact', { ...type, origin })).toBe(
    '200 thank you',
  )
  expect(
    await post('/contact', { 'content-type': 'application/json' }),
  ).toBe('200 thank you')
}

/** A copy of the app with the examples in it, beside the frameworks that they import. */
function folderOf({ name, routes }: App): string {
  const folder = mkdtempSync(join(here, '.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(here, 'apps', name), folder, { recursive: true })
  for (const [route, example] of Object.entries(routes)) {
    mkdirSync(join(folder, route, '..'), { recursive: true })
    cpSync(join(root, 'examples', example), join(folder, route))
  }
  return folder
}

/** Starts the built app and returns its URL. */
async function started(
  { start, ready }: App,
  cwd: string,
): Promise<string> {
  const app = spawn(process.execPath, start, {
    cwd,
    env: {
      ...env,
      STRIPE_WEBHOOK_SECRET: SECRET,
      WEBHOOK_SECRET: SECRET,
      TWILIO_AUTH_TOKEN: SECRET,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    },
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
      const [, url] = ready.exec(said) ?? []
      if (url) resolve(url)
    }
    app.stdout.on('data', hear) // read to the end, because an app dies if nobody reads its output.
    app.stderr.on('data', hear)
    gone.then(() =>
      reject(new Error(`it ended before it was ready: ${said}`)),
    )
  })
}

it.each(APPS)(
  'the examples of $name, built without the secret by the real framework, accept a signed webhook once',
  { timeout: 300_000 },
  async (app) => {
    const folder = folderOf(app)
    await promisify(execFile)(process.execPath, app.build, {
      cwd: folder,
      env,
    })
    const url = await started(app, folder)
    for (const path of app.paths) {
      const body = {
        id: `evt_${crypto.randomUUID()}`,
        type: 'invoice.paid',
      }
      const request = await signAs(stripe, { secret: SECRET, body })
      const post = async (text: string) => {
        const response = await fetch(url + path, {
          ...request,
          body: text,
        })
        return `${response.status} ${await response.text()}`.trim()
      }
      expect(await post(`${request.body} `)).toMatch(/^401 /)
      expect(await post(request.body)).toMatch(
        /^200 (?:\{"received":true\}|done)$/,
      )
      expect(await post(request.body)).toBe('200') // a duplicate
    }
    await app.also?.(url)
  },
)

it('docs/frameworks/sveltekit-nuxt-astro.md shows the hook of SvelteKit to the letter', () => {
  const hook = readFileSync(
    join(here, 'apps/sveltekit/src/hooks.server.ts'),
    'utf8',
  )
  expect(
    readFileSync(
      join(root, 'docs/frameworks/sveltekit-nuxt-astro.md'),
      'utf8',
    ),
  ).toContain(`\n${hook}\`\`\``)
})
