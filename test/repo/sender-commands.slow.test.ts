import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { shell } from '../cli/support.ts'
import { freePort } from '../support/free-port.ts'

const root = new URL('../../', import.meta.url)
const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`

/** The command of each page that signs as the sender, with the variable that holds the secret. */
const commands = readdirSync(new URL('docs/schemes/', root))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => {
    const page = readFileSync(new URL(`docs/schemes/${name}`, root), 'utf8')
    const [, command, variable] = /```sh\n(HOOKGATE_SECRET=\$([A-Z_]+) [\s\S]*?)\n```/.exec(page) ?? []
    return command && variable ? [{ name: name.replace('.md', ''), command, variable }] : []
  })

describe.each(commands)('the page of $name', ({ name, command, variable }) => {
  it('the page has a command that its program accepts and handles', async () => {
    vi.stubEnv(variable, SECRET)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => {
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
    })
    const program: { readonly default: Hono } = await import(`../../examples/schemes/${name}.ts`)
    const server = serve({ fetch: program.default.fetch, port: 0 })
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await expectAccepted(command, `localhost:${port}`, { [variable]: SECRET })
    expect(log, 'a case of the program').toHaveBeenCalled()
  })
})

/** Runs the command of a page as it stands, but for the port. */
async function expectAccepted(command: string, host: string, env: { readonly [name: string]: string }) {
  const main = fileURLToPath(new URL('dist/cli/main.js', root))
  const line = command
    .replace('localhost:3000', host)
    .replace('npx --no-install hookgate', `'${process.execPath}' '${main}'`)
  const { code, stdout, stderr } = await shell(line, { env })
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 OK/) })
}

it("the program of GitHub's page prints its URL, and what the page's command sends", async () => {
  const page = readFileSync(new URL('docs/schemes/github.md', root), 'utf8')
  const folder = mkdtempSync(fileURLToPath(new URL('dist/page-', root)))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? []
  writeFileSync(join(folder, 'app.mjs'), code.replaceAll('3000', `${await freePort()}`))
  const env = { GITHUB_WEBHOOK_SECRET: SECRET }
  const program = spawn(process.execPath, ['app.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void program.kill())
  let printed = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (text: Buffer) => {
      printed += text
    })
  }
  await expect.poll(() => printed).toMatch(/^http:.*\/webhooks\/github\n$/)
  const github = commands.find(({ name }) => name === 'github')
  await expectAccepted(github?.command ?? '', new URL(printed).host, env)
  await expect.poll(() => printed).toMatch(/^pushed \{\n {2}ref: 'refs\/heads\/main',/m)
})

it('the pages of Stripe, GitHub and Slack have such a command', () => {
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['stripe', 'github', 'slack']))
})
