import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { newPrivateKey } from '../../cli/signing/private-key.ts'
import { type Authenticator, defineListener, hmac, type Listener } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { run } from '../cli/support.ts'
import { serve } from '../support/servers.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/senders.md', import.meta.url)), 'utf8')
const SECRET = 'senders-0123456789-abcdefghijklmnopqrstuv'
const TENANT = 'https://tenant.example'
const BODY = '{ "name" : "Zoë 🙂" ,\n"total":1.0 }'

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

const isShellThere = works('openssl', 'version') && works('curl', '--version')
const findPython = (...args: string[]) =>
  ['python3', '/usr/bin/python3'].find((python) => works(python, ...args))
const PYTHON = findPython('--version')
const PYTHON_WITH_JWT = findPython('-c', 'import jwt, cryptography')

/** The languages of the page, and their interpreters if installed. */
const SENDERS = [
  { language: 'sh', program: isShellThere ? 'sh' : undefined },
  { language: 'python', program: PYTHON },
  { language: 'php', program: works('php', '--version') ? 'php' : undefined },
  { language: 'ruby', program: works('ruby', '--version') ? 'ruby' : undefined },
  { language: 'js', program: process.execPath },
]

function fence(language: string, nth: number): string {
  const found = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))][nth]?.[1]
  if (found === undefined) throw new Error(`docs/senders.md has no such piece of ${language}`)
  return found
}

/** Writes a program of the page to a file, and returns a function that runs it with an environment. */
function senderOf(language: string, program: string, nth = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, language === 'js' ? 'sender.mjs' : 'sender')
  writeFileSync(file, fence(language, nth))
  return async (env: NodeJS.ProcessEnv) => {
    const { code, stdout, stderr } = await run(program, [file], { env: { BODY, ...env } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
}

async function endpoint(authFor: (url: string) => Authenticator) {
  const payloads: unknown[] = []
  let listener: Listener | undefined
  const guard = verifyWebhook(() => listener)
  const { address } = await serve((request, response) =>
    guard(request, response, () => {
      payloads.push(Reflect.get(request, 'body'))
      response.end()
    }),
  )
  const url = `http://127.0.0.1:${'port' in address && address.port}/webhooks`
  listener = defineListener({ id: 'senders', auth: authFor(url), store: memoryStore() })
  return { url, payloads }
}

describe('docs/senders.md', () => {
  for (const { language, program } of SENDERS) {
    const reason = program === undefined ? ' (skipped: it is not installed here)' : ''
    it.skipIf(program === undefined)(
      `the page has a sender in ${language} that is accepted, once${reason}`,
      async () => {
        const { url, payloads } = await endpoint(() => hmac({ secrets: { id: 'main', secret: SECRET } }))
        const send = senderOf(language, program ?? '')
        const env = { URL: url, SECRET, EVENT_ID: crypto.randomUUID() }
        expect(await send(env)).toBe('200\n')
        expect(await send(env)).toBe('409\n')
        expect(await send({ ...env, SECRET: `${SECRET}-2` })).toBe('401\n')
        expect(payloads).toEqual([JSON.parse(BODY)])
      },
    )

    it.skipIf(program === undefined)(
      `the page has a sender in ${language} that follows no redirect, because another page's 200 would look like success${reason}`,
      async () => {
        const asked: unknown[] = []
        const { address } = await serve((request, response) => {
          asked.push(request.url)
          response.writeHead(request.url === '/' ? 200 : 302, { location: '/' }).end()
        })
        const url = `http://127.0.0.1:${'port' in address && address.port}/webhooks`
        const send = senderOf(language, program ?? '')
        expect(await send({ URL: url, SECRET, EVENT_ID: crypto.randomUUID() })).toBe('302\n')
        expect(asked).toEqual(['/webhooks'])
      },
    )
  }

  const why = PYTHON_WITH_JWT === undefined ? ' (skipped: no Python with PyJWT here)' : ''
  it.skipIf(PYTHON_WITH_JWT === undefined)(
    `the page has a sender of tokens that is accepted, once${why}`,
    async () => {
      const privateKey = newPrivateKey('ES256')
      const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'ec-1', alg: 'ES256' }
      const { url, payloads } = await endpoint((audience) =>
        jwt({ keySet: localKeySet({ keys: [jwk] }), subject: TENANT, audience }),
      )
      const send = senderOf('python', PYTHON_WITH_JWT ?? '', 1)
      const env = {
        URL: url,
        TENANT,
        KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        KEY_ID: 'ec-1',
        EVENT_ID: crypto.randomUUID(),
      }
      expect(await send(env)).toBe('200\n')
      expect(await send(env)).toBe('409\n')
      expect(await send({ ...env, TENANT: `${TENANT}/` })).toBe('401\n')
      expect(payloads).toEqual([JSON.parse(BODY)])
    },
  )
})
