import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { json as jsonOf } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendJson, startFake } from '../../management/fake-server.ts'
import { runCommand } from '../shared-process.ts'
import { temporaryFile } from '../support.ts'

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
    return sendJson(response, status, one(inMinutes(10_075), 's0'))
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
    const { code, stdout, changes } = await renew([10, 9000], ['--run'])
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

describe('hookgate renew, of a channel of Google', () => {
  async function renewChannel(
    kept: object,
    args: readonly string[] = ['--run'],
    meanwhile: (file: string) => Promise<unknown> = async () => {},
  ) {
    const requests: string[] = []
    const file = await temporaryFile('channel.json', JSON.stringify(kept))
    const fake = await startFake('https://www.googleapis.com', async (request, response) => {
      requests.push(`${request.url}`)
      if (requests.length === 1) await meanwhile(file)
      const { id, expiration } = (await jsonOf(request)) as {
        readonly id: string
        readonly expiration: number
      }
      sendJson(
        response,
        200,
        request.url?.endsWith('stop') ? {} : { id, resourceId: 'r1', expiration: `${expiration}` },
      )
    })
    onTestFinished(() => fake.close())
    const env = {
      TEST_APIS: JSON.stringify({ 'https://www.googleapis.com': fake.origin }),
      HOOKGATE_API_TOKEN: TOKEN,
      HOOKGATE_SECRET: 'channel-token-of-these-tests',
    }
    const given = [
      '--scheme',
      'google-channels',
      '--of',
      'calendar=primary',
      '--url',
      URL_,
      '--channel-file',
      file,
    ]
    const ended = await runCommand(['renew', ...given, ...args], { env })
    expect(JSON.stringify(ended)).not.toMatch(/a-token-of|channel-token-of/)
    const left = await readFile(file, 'utf8').then(JSON.parse, () => undefined)
    return { ...ended, requests, file: left, files: await readdir(dirname(file)) }
  }
  const kept = { id: 'old', resourceId: 'r1', expiration: `${Date.now() + 60_000}` }

  it('keeps the new one in its file, and stops the old one', async () => {
    const { code, stdout, requests, file, files } = await renewChannel(kept)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^renewed {2}[0-9a-f-]{36} {2}until \S+Z\n$/)
    expect(requests).toEqual(['/calendar/v3/calendars/primary/events/watch', '/calendar/v3/channels/stop'])
    expect(file).toMatchObject({ id: stdout.split(/\s+/)[1], resourceId: 'r1' })
    expect(files).toEqual(['channel.json'])
  })

  it('that cannot be kept leaves no other file with its token, and stops the new one', async () => {
    const { code, stdout, requests, files } = await renewChannel(kept, ['--run'], async (file) => {
      await rm(file)
      await mkdir(file) // which no file can replace
    })
    expect([code, stdout]).toEqual([1, expect.stringContaining('keep() failed')])
    expect(requests.at(-1)).toBe('/calendar/v3/channels/stop')
    expect(files).toEqual(['channel.json'])
  })

  it("is not watched again with another sender's secret", async () => {
    const own = { ...kept, token: 'the token that watch was given' }
    const { code, stdout, requests, file } = await renewChannel(own)
    expect([code, requests, file]).toEqual([1, [], own])
    expect(stdout).toMatch(/^failed {3}old .*--secret-file/)
    expect(stdout).not.toContain(own.token)
  })

  it('changes nothing without --run, and takes no other file', async () => {
    const dry = await renewChannel(kept, [])
    expect([dry.code, dry.requests, dry.file]).toEqual([0, [], kept])
    const wrong = await renewChannel({ id: 'old' })
    expect([wrong.code, wrong.requests]).toEqual([2, []])
    expect(wrong.stderr).toContain('--channel-file: must have kept')
  })
})
