import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const src = (path: string) => JSON.stringify(new URL(`../../dist/src/${path}`, import.meta.url).href)
const PROGRAM = `
import { hmac } from ${src('index.js')}
import { stripe } from ${src('schemes/stripe.js')}
for (const create of [() => stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), () => hmac({ secrets: process.env.WEBHOOK_SECRET ?? '' })]) {
  try { create() } catch (error) { console.log(error.message) }
}`
const FIX = 'but was not loaded before this ran: start with node --env-file=.env app.mjs'

/** What a program says whose secrets are not set, in a folder with this `.env`. */
async function said(env: string | undefined, variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (env === 'a folder') mkdirSync(join(folder, '.env'))
  else if (env !== undefined) writeFileSync(join(folder, '.env'), env)
  const { HOOKGATE_SECRET: _1, STRIPE_WEBHOOK_SECRET: _2, WEBHOOK_SECRET: _3, ...others } = process.env
  return new Promise<readonly string[]>((resolve, reject) =>
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM],
      { cwd: folder, env: { ...others, ...variables } },
      (error, stdout) => (error ? reject(error) : resolve(stdout.trim().split('\n'))),
    ),
  )
}

const WHY_NOT = 'Bun' in globalThis || 'Deno' in globalThis ? ' (skipped: these are programs of Node)' : ''

describe.skipIf(WHY_NOT !== '')(`the error about a secret that is not set${WHY_NOT}`, () => {
  it('names the variable that lies in .env, and how to load it before the import, and no value', async () => {
    const lines = await said(
      'STRIPE_SECRET_KEY=sk_live_open-sesame\n# STRIPE_OLD_WEBHOOK_SECRET=x\nexport STRIPE_WEBHOOK_SECRET="whsec_open-sesame"\nWEBHOOK_SECRET = open-sesame\n',
    )
    expect(lines).toEqual([
      `secrets[0]: stripe({ secrets }) is undefined, not text; set the environment variable: .env has STRIPE_WEBHOOK_SECRET, ${FIX}; for Stripe, pass the signing secret of the endpoint, whsec_…`,
      `secrets[0]: is empty or blank; set the environment variable: .env has WEBHOOK_SECRET, ${FIX}`,
    ])
  })

  it.each([
    ['there is no .env', undefined],
    ['it is a folder', 'a folder'],
    ['it has no such name', 'DATABASE_URL=postgres://\nGITHUB_WEBHOOK_SECRET=a\nSTRIPE_PRICE=7\n'],
    ['it has no value', 'STRIPE_WEBHOOK_SECRET=\nWEBHOOK_SECRET=""\n'],
    ['it is too large', `STRIPE_WEBHOOK_SECRET=a\nWEBHOOK_SECRET=a\n${'#'.repeat(65_536)}`],
  ])('says nothing of it if %s', async (_, env) => {
    const [first, second] = await said(env)
    expect(first).toBe(
      'secrets[0]: stripe({ secrets }) is undefined, not text; set the environment variable; for Stripe, pass the signing secret of the endpoint, whsec_…',
    )
    expect(second).toBe('secrets[0]: is empty or blank; set the environment variable')
  })

  it('names no variable that the process has', async () => {
    const [first] = await said('STRIPE_OTHER_SECRET=a\n', { STRIPE_OTHER_SECRET: 'a' })
    expect(first).not.toContain('.env')
  })
})
