import { readdirSync, readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { shell } from '../cli/support.ts'

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
  it('has a command that its program accepts', async () => {
    vi.stubEnv(variable, SECRET)
    vi.spyOn(console, 'log').mockImplementation(() => {})
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
    const main = new URL('dist/cli/main.js', root).pathname
    const line = command
      .replace('localhost:3000', `localhost:${port}`)
      .replace('npx --no-install hookgate', `'${process.execPath}' '${main}'`)
    const { code, stdout, stderr } = await shell(line, { env: { [variable]: SECRET } })
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 OK/) })
  })
})

it('the pages of Stripe, GitHub and Slack have such a command', () => {
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['stripe', 'github', 'slack']))
})
