import { expect, it } from 'vitest'
import { diagnose } from './doctor-support.ts'
import { SECRET, startListener } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }

it.each(['github', 'shopify', 'telegram'])('a healthy listener for %s gets no complaint', async (scheme) => {
  const { url } = await startListener(['--scheme', scheme], { env })
  const { code, complaints, findings } = await diagnose(['--url', url, '--event-id', crypto.randomUUID()], {
    env,
  })
  expect(complaints).toEqual([])
  expect(code).toBe(0)
  expect(findings.slice(-4).map(({ id, status }) => `${status} ${id}`)).toEqual([
    'ok url',
    'skip clock.receiver',
    'skip proxy',
    'skip signature',
  ])
})
