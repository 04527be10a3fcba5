import { expect, it } from 'vitest'
import { hookgate, SECRET, startListener } from '../../support.ts'
import { diagnose } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }

/** Runs `doctor` on a healthy listener for the sender. */
async function diagnoseListenerFor(scheme: string, args: readonly string[] = []) {
  const { url } = await startListener(['--scheme', scheme], { env })
  return diagnose(['--url', url, '--event-id', crypto.randomUUID(), ...args], { env })
}

const SKIPPED = ['ok url', 'skip clock.receiver', 'skip proxy', 'skip signature']

it.each([
  ['github', []],
  ['shopify', []],
  ['telegram', []],
  ['slack', ['--scheme', 'slack']],
  ['zoom', ['--scheme', 'zoom']],
])('a healthy listener for %s gets no complaint with %j', async (scheme, args) => {
  const { code, complaints, findings } = await diagnoseListenerFor(scheme, args)
  expect(complaints).toEqual([])
  expect(code).toBe(0)
  expect(findings.slice(-4).map(({ id, status }) => `${status} ${id}`)).toEqual(SKIPPED)
})

it('a listener that cannot be told from one behind a proxy that drops headers fails, and the fix names --scheme', async () => {
  const { code, findings } = await diagnoseListenerFor('slack')
  expect(code).toBe(1)
  expect(findings.find(({ status }) => status === 'fail')).toMatchObject({
    id: 'proxy',
    fix: expect.stringContaining('--scheme NAME'),
  })
})

it.each([
  ['a secret in hexadecimal digits, as Slack makes them', '8f742231b10e8888abcd990000085a50', []],
  ['whsec_ and base64, as Stripe and Svix make them', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', []],
  ['a secret in quotes', '"8f742231b10e8888abcd990000085a50"', ['has quotes around it']],
  ['a placeholder', '$SLACK_SIGNING_SECRET', ['is a placeholder']],
])('--scheme judges %s', async (_, secret, complaints) => {
  const given = await diagnose(['--scheme', 'slack', '--offline'], { env: { HOOKGATE_SECRET: secret } })
  expect(given.complaints).toEqual(complaints.map((seen) => expect.stringContaining(seen)))
})

it('an unknown sender is a mistake of the command line', async () => {
  expect((await hookgate(['doctor', '--scheme', 'slak'])).stderr).toContain('did you mean slack?')
})
