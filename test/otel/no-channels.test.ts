import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { run } from '../cli/support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `before` runs before the package is loaded. */
const program = (before: string, load: string) => `
  ${before}
  const { defineListener, hmac, verify } = await import('hookgate')
  const { memoryStore } = await import('hookgate/stores/memory')
  const { signHmac, toDelivery } = await import('hookgate/testing')
  const secret = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
  const listener = defineListener({ id: 'L1', auth: hmac({ secrets: secret }), store: memoryStore() })
  const { ok } = await verify(toDelivery(await signHmac({ secret, body: '{}' })), listener)
  console.log(ok)
  ${load}`

const node = (text: string) => run(process.execPath, ['--input-type=module', '--eval', text], { cwd: root })

it.each([
  ['no process', 'delete globalThis.process'],
  ['a process without getBuiltinModule', 'process.getBuiltinModule = undefined'],
  ['no diagnostics_channel', 'process.getBuiltinModule = () => undefined'],
])('a runtime with %s loads the package and verifies', async (_, before) => {
  expect(await node(program(before, ''))).toMatchObject({ code: 0, stdout: 'true\n' })
})

it('there, hookgate/otel says what is missing', async () => {
  const load = `const { instrument } = await import('hookgate/otel')
  try { instrument() } catch (error) { console.log(error.name, error.message) }`
  const { stdout } = await node(program('process.getBuiltinModule = () => undefined', load))
  expect(stdout).toMatch(
    /^true\nListenerConfigError instrument: this runtime has no node:diagnostics_channel/,
  )
})
