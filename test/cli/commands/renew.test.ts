import { describe, expect, it, onTestFinished } from 'vitest'
import { sendJson, startFake } from '../../management/fake-server.ts'
import { runCommand } from '../shared-process.ts'

const TOKEN = 'a-token-of-these-tests'
const URL_ = 'https://shop.example/webhooks/graph'
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

/** Runs the command against subscriptions that end in so many minutes. */
async function renew(minutes: readonly number[], args: readonly string[] = [], status = 200) {
  const fake = await startFake('https://graph.microsoft.com', ({ method }, response) => {
    const one = (until: string, id: string) => ({
      ...{ id, resource: 'me/messages', notificationUrl: URL_, expirationDateTime: until },
    })
    if (method === 'GET')
      return sendJson(response, 200, { value: minutes.map((each, id) => one(inMinutes(each), `s${id}`)) })
    return sendJson(response, status, one(inMinutes(4225), 's0'))
  })
  onTestFinished(() => fake.close())
  const env = {
    TEST_APIS: JSON.stringify({ 'https://graph.microsoft.com': fake.origin }),
    HOOKGATE_API_TOKEN: TOKEN,
  }
  const ended = await runCommand(['renew', '--scheme', 'graph', '--url', URL_, ...args], { env })
  expect(JSON.stringify(ended)).not.toContain(TOKEN)
  return { ...ended, changes: fake.requests.filter((each) => !each.startsWith('GET ')) }
}

describe('hookgate renew', () => {
  it('renews what is due with --run, and tells each', async () => {
    const { code, stdout, changes } = await renew([10, 4000], ['--run'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^renewed {2}s0 {2}until \S+Z\nearly {4}s1 {2}until \S+Z\n$/)
    expect(changes).toEqual(['PATCH /v1.0/subscriptions/s0'])
  })

  it('only reads without it', async () => {
    const { code, stdout, stderr, changes } = await renew([10], ['--json'])
    expect({ code, changes }).toEqual({ code: 0, changes: [] })
    expect(JSON.parse(stdout)).toEqual({
      subscriptions: [{ id: 's0', state: 'due', until: expect.stringMatching(/Z$/), why: null }],
    })
    expect(stderr).toBe('Nothing was renewed: add --run.\n')
  })

  it.each<[string, readonly number[], number, RegExp]>([
    ['one cannot be renewed', [10], 403, /^failed {3}s0 .*refuses the token \(403\)/],
    ['there is none', [], 200, /there is no subscription at this URL/],
  ])('exits with 1 if %s', async (_, minutes, status, said) => {
    const { code, stdout, stderr } = await renew(minutes, ['--run'], status)
    expect(code).toBe(1)
    expect(stdout || stderr).toMatch(said)
  })

  it('of a sender whose endpoints do not end is a mistake', async () => {
    const { code, stderr } = await renew([], ['--scheme', 'stripe'])
    expect(code).toBe(2)
    expect(stderr).toContain('--scheme: has nothing to renew')
  })
})
