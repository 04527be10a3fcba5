import { spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const here: string = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')
const SECRET = 'a secret of these tests, which is long'

/** What the tests change in a program, as a reader of its page might. */
export const VARIANTS = {
  'as the page has it': (text: string) => text,
  'whose handler throws': (text: string) =>
    text.replace(HANDLED, "throw new Error('the handler fails')"),
  'whose handler rejects': (text: string) =>
    text.replace(
      HANDLED,
      "return Promise.reject(new Error('the handler fails'))",
    ),
  'whose lookup finds something else': (text: string) =>
    mounted(text, '() => ({})'),
  'whose lookup reads the body': (text: string) =>
    mounted(
      text,
      `async (given) => {
        const request = given.req?.raw ?? given.raw ?? given.req ?? given
        if (typeof request.text === 'function') await request.text()
        else for await (const _ of request);
        return listener
      }`,
    ),
}

export type Variant = keyof typeof VARIANTS

/** Where every program handles its event, and where it mounts hookgate. */
const HANDLED = /console\.log\([^\n]*(?:type|id)[^\n]*\)/
const MOUNTED =
  /((?:verifyWebhook|webhookHandler|VerifyWebhook)\()listener(?=[,)])/

function mounted(text: string, lookup: string): string {
  return text
    .replace(MOUNTED, `$1${lookup}`)
    .replace(
      '(verifyWebhook, { listener })',
      `(verifyWebhook, { listener: ${lookup} })`,
    )
}

/** The block of a page that begins with, or has, this text. */
export function blockOf(page: string, has: string): string {
  const text = readFileSync(
    join(root, `docs/frameworks/${page}.md`),
    'utf8',
  )
  const block = [
    ...text.matchAll(/^```(?:ts|js)[^\n]*\n(.*?)^```$/gms),
  ].find(([, code]) => code?.includes(has))
  if (block?.[1] === undefined)
    throw new Error(
      `docs/frameworks/${page}.md has no program with ${has}`,
    )
  return block[1]
}

/** With the sender of these tests, as pages say: "for another sender, replace `auth`". And in memory: the table is not about stores. */
function prepared(text: string, variant: Variant, up: string): string {
  const changed = VARIANTS[variant](text)
  if (variant !== 'as the page has it' && changed === text)
    return prepared(text, 'as the page has it', up) // in another of its files
  return changed
    .replace(
      /import \{ stripe \} from 'hookgate\/schemes\/stripe'/,
      `import { anything as stripe } from '${up}anything.mjs'`,
    )
    .replace(
      /import \{ \w+ \} from 'hookgate\/stores\/[\w-]+'/,
      "import { memoryStore } from 'hookgate/stores/memory'",
    )
    .replace(
      /store: \w+\((?:.*\)|\n[^\0]*?\n {2,4}\))(?=,\n)/,
      'store: memoryStore()',
    )
}

/** Writes programs into a folder of their own, beside what they import. */
export function folderOf(
  files: { readonly [path: string]: string },
  variant: Variant,
  app?: string,
): string {
  const folder = mkdtempSync(join(here, '.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (app !== undefined)
    cpSync(join(here, 'apps', app), folder, { recursive: true })
  addTo(folder, files, variant)
  return folder
}

export function addTo(
  folder: string,
  files: { readonly [path: string]: string },
  variant: Variant,
): void {
  cpSync(join(here, 'anything.mjs'), join(folder, 'anything.mjs'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    const up = '../'.repeat(path.split('/').length - 1) || './'
    writeFileSync(join(folder, path), prepared(text, variant, up))
  }
}

/** A program that runs as a process, and prints its URL. */
export async function spawned(
  args: readonly string[],
  cwd: string,
  ready: RegExp,
) {
  const env = {
    ...process.env,
    ...SETTINGS,
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: '0',
    HOST: '127.0.0.1',
    BODY_SIZE_LIMIT: '20K', // of SvelteKit's adapter for Node
    NO_COLOR: '1',
  }
  // A group of its own: `next dev` has a child, which would go on.
  const app = spawn(process.execPath, args, {
    cwd,
    env: { ...env, NODE_ENV: undefined },
    detached: true,
  })
  const gone = once(app, 'close')
  onTestFinished(async () => {
    if (app.pid !== undefined && app.exitCode === null)
      process.kill(-app.pid, 'SIGKILL')
    await gone
  })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      const [, found] = ready.exec(said) ?? []
      if (found) resolve(found)
    }
    app.stdout.on('data', hear) // read to the end, because an app dies if nobody reads its output
    app.stderr.on('data', hear)
    gone.then(() =>
      reject(new Error(`it ended before it was ready: ${said}`)),
    )
  })
  return {
    url: new URL(url).origin
      .replace('[::1]', 'localhost')
      .replace('[::]', 'localhost'),
    said: () => said,
  }
}

export const SETTINGS: { readonly [name: string]: string } = {
  STRIPE_WEBHOOK_SECRET: SECRET,
  AWS_REGION: 'none',
}

export interface Delivery {
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array<ArrayBuffer>
}

/** A body of this type, signed. */
export function signed(
  type: string | undefined,
  body: Uint8Array<ArrayBuffer>,
): Delivery {
  const signature = createHmac('sha256', SECRET)
    .update(body)
    .digest('hex')
  const headers = {
    'x-signature': signature,
    'x-event-id': randomUUID(),
  }
  return {
    headers:
      type === undefined
        ? headers
        : { ...headers, 'content-type': type },
    body,
  }
}
