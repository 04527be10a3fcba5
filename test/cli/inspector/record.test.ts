import { chmod, chown, open, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRecordFile } from '../../../cli/inspector/record.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { signAs, signHmac } from '../../../src/testing/index.ts'
import { hookgate, temporaryDirectory, temporaryFile } from '../support.ts'
import { SECRET, startInspector } from './support.ts'

const HOSTILE = '{"a":"\\u001b[2J\u202e\u0007<script>"}\u0085'

async function recorded(bodies: readonly string[]) {
  const file = join(await temporaryDirectory(), 'deliveries.ndjson')
  const inspector = await startInspector(['--record', file])
  for (const body of bodies) await inspector.deliver(await signHmac({ secret: SECRET, body }))
  const { ask, listener } = inspector
  const exported = await (await ask('export.ndjson')).text()
  const har = JSON.parse(await (await ask('export.har')).text())
  expect(await listener.stop()).toBe(0)
  const text = await readFile(file, 'utf8')
  return {
    file,
    exported,
    har,
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

describe('--record', () => {
  it('the file gets each delivery, byte by byte, and only its owner can read it', async () => {
    const { file, lines } = await recorded(['{"a":1}', HOSTILE])
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatchObject({
      v: 1,
      seq: 1,
      verdict: 'accepted',
      method: 'POST',
      status: 200,
      truncated: false,
    })
    expect(lines[0].checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
    expect(lines[0].checks.at(-1).name).toBe('claim')
    expect(Buffer.from(lines[1].bodyBase64, 'base64').toString()).toBe(HOSTILE)
    expect((await stat(file)).mode & 0o077).toBe(0)
  })

  it('a file that others could read is for its owner alone from then on, also behind a link', async () => {
    const folder = await temporaryDirectory()
    const [file, link] = [join(folder, 'deliveries.ndjson'), join(folder, 'link.ndjson')]
    await writeFile(file, '', { mode: 0o644 })
    await symlink(file, link)
    for (const path of [file, link]) {
      await chmod(file, 0o644)
      const record = await openRecordFile(path)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      record.write('{}')
      await record.close()
    }
    expect(await readFile(file, 'utf8')).toBe('{}\n{}\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('a device has no content to protect, so it keeps its mode', async () => {
    const before = (await stat('/dev/null')).mode
    await (await openRecordFile('/dev/null')).close()
    expect((await stat('/dev/null')).mode).toBe(before)
  })

  it('a directory is refused with the fix', async () => {
    await expect(openRecordFile(await temporaryDirectory())).rejects.toThrow(
      /cannot be written \(EISDIR\); choose another file/,
    )
  })

  const NOT_ROOT = process.getuid?.() === 0 ? '' : ' (skipped: only root can give a file away)'

  it.skipIf(NOT_ROOT)(
    `a file of another user is refused, because its owner could read it${NOT_ROOT}`,
    async () => {
      const file = await temporaryFile('deliveries.ndjson', '')
      await chown(file, 12_345, 12_345)
      await expect(openRecordFile(file)).rejects.toThrow(/other users of this machine could read it/)
      expect(await readFile(file, 'utf8')).toBe('')
    },
  )

  it('a query over 2,000 characters is recorded whole, and verify reads it', async () => {
    const folder = await temporaryDirectory()
    const file = join(folder, 'deliveries.ndjson')
    const { PATH, startListener } = await import('../support.ts')
    const publicUrl = `https://receiver.example${PATH}`
    const given = ['--scheme', 'twilio', '--public-url', publicUrl]
    const env = { HOOKGATE_SECRET: SECRET }
    const listener = await startListener([...given, '--record', file], { env })
    const query = `?long=${'x'.repeat(4000)}`
    const signed = await signAs(twilio, {
      secret: SECRET,
      publicUrl: publicUrl + query,
      body: 'AccountSid=AC1&Body=Hi',
    })
    expect((await fetch(listener.url + query, signed)).status).toBe(200)
    await listener.stop()
    expect((await hookgate(['verify', ...given, '--record', file], { env })).stdout).toMatch(/^accepted\n/)
  })

  it('--record needs no page', async () => {
    const file = join(await temporaryDirectory(), 'deliveries.ndjson')
    const { startListener } = await import('../support.ts')
    const listener = await startListener(['--record', file], { env: { HOOKGATE_SECRET: SECRET } })
    expect(listener.stdout.text).not.toContain('Inspector')
    await fetch(listener.url, await signHmac({ secret: SECRET, body: '{}' }))
    await listener.stop()
    expect(await readFile(file, 'utf8')).toMatch(/^\{"v":1,.*\}\n$/)
  })

  it('none of 2,000 deliveries is lost that come as fast as they can', { timeout: 60_000 }, async () => {
    const file = join(await temporaryDirectory(), 'deliveries.ndjson')
    const { listener, deliver } = await startInspector(['--record', file, '--json'])
    const signed = await signHmac({ secret: SECRET, body: '{}' })
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => deliver(signed)))
    }
    await listener.stop()
    const seqs = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq)
    expect(seqs).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
  })
})

describe('--load', () => {
  it('--load shows an earlier record, explains it with the secret of this run, and goes on counting', async () => {
    const { file } = await recorded(['{"a":1}', '{'])
    const { ask, deliver } = await startInspector(['--load', file])
    expect(await (await ask('deliveries/2')).json()).toMatchObject({
      reason: 'body_not_json',
      verdict: 'refused',
    })
    await deliver(await signHmac({ secret: SECRET, body: '{}' }))
    expect(await (await ask('deliveries/3')).json()).toMatchObject({ verdict: 'accepted' })
  })

  it('--load leaves out a last line that a crash cut off', async () => {
    const { file } = await recorded(['{"a":1}'])
    const text = await readFile(file, 'utf8')
    const cut = await temporaryFile('cut.ndjson', `${text}${text.slice(0, 100)}`)
    const { ask } = await startInspector(['--load', cut])
    expect((await ask('deliveries/1')).status).toBe(200)
    expect((await ask('deliveries/2')).status).toBe(404)
  })

  it.each([
    ['no JSON', 'hello\n'],
    ['another version', '{"v":2,"seq":1}\n'],
    [
      'invalid headers',
      '{"v":1,"seq":1,"time":"2026-01-01","method":"POST","path":"/","verdict":"refused","headers":[["a"]],"bodyBase64":""}\n',
    ],
    ['terminal escapes', '\u001b]0;owned\u0007\n'],
  ])('a line that is no record is refused by its number, without repeating it: %s', async (_, text) => {
    const file = await temporaryFile('bad.ndjson', text)
    const { code, stderr } = await hookgate(['listen', '--port', '0', '--load', file])
    expect(code).toBe(2)
    expect(stderr).toMatch(/line 1 is not a record of listen --record/)
    expect(stderr).not.toMatch(/owned|hello/)
  })

  it('--load refuses a device that never ends', async () => {
    const { code, stderr } = await hookgate(['listen', '--port', '0', '--load', '/dev/zero'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/it is over 64 MB/)])
  })

  it('--load tells the length of a body that was not kept in full', async () => {
    const inspector = await startInspector(['--max-body', '8mb'])
    const signed = await signHmac({ secret: SECRET, body: JSON.stringify('a'.repeat(5_000_000)) })
    expect(await inspector.deliver(signed)).toBe(200)
    const { bytes, kept, truncated } = JSON.parse(await (await inspector.ask('deliveries/1')).text())
    expect({ bytes, kept, truncated }).toEqual({ bytes: 5_000_002, kept: 4_194_304, truncated: true })
  })

  it('--load refuses a file of 100 MB at once', async () => {
    const file = join(await temporaryDirectory(), 'large.ndjson')
    const handle = await open(file, 'w')
    await handle.truncate(100 * 2 ** 20)
    await handle.close()
    const { code, stderr } = await hookgate(['listen', '--port', '0', '--load', file])
    expect(code).toBe(2)
    expect(stderr).toMatch(/it is over 64 MB; take the latest part: tail -n 200/)
  })
})

describe('the exports', () => {
  it('the export of NDJSON hides signatures, and holds the rest', async () => {
    const { exported, lines } = await recorded(['{"a":1}'])
    const [line = ''] = exported.split('\n')
    const { headers, bodyBase64 } = JSON.parse(line)
    expect(bodyBase64).toBe(lines[0].bodyBase64)
    expect(Object.fromEntries(headers)['webhook-signature']).toBe('(43 characters hidden)')
    expect(Object.fromEntries(lines[0].headers)['webhook-signature']).toMatch(/^[\w-]{43}$/)
  })

  it('the export of HAR is valid HAR 1.2', async () => {
    const { har } = await recorded(['{"a":1}', '{', HOSTILE])
    await expect(createRequire(import.meta.url)('har-validator').har(har)).resolves.toBe(har)
    expect(har.log.entries).toHaveLength(3)
    expect(har.log.entries[0].request.postData.text).toBe('{"a":1}')
  })
})

it.each(['ndjson', 'har'])(
  'the export as %s can be printed: a terminal obeys nothing in it',
  async (format) => {
    const inspector = await startInspector()
    const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":"\u009b2J \u202e"}' })
    await inspector.deliver({ method: 'POST', headers: { ...headers, 'x-escape': '\u009b2J' }, body })
    const text = await (await inspector.ask(`export.${format}`)).text()
    expect(text.match(/[^\P{Cc}\n]|\p{Cf}/u)).toBeNull()
    expect(text).toContain('\\u009b2J')
  },
)

describe('verify --record', () => {
  const env = { HOOKGATE_SECRET: SECRET }

  it('verify judges a recorded delivery by the time at which it came: the last, or the one of --seq', async () => {
    const { file } = await recorded(['{"a":1}', '{'])
    const first = await hookgate(['verify', '--record', file, '--seq', '1'], { env })
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^accepted\n/) })
    const last = await hookgate(['verify', '--record', file, '--explain'], { env })
    expect(last).toMatchObject({ code: 1, stdout: expect.stringMatching(/^refused: body_not_json/) })
    const late = await hookgate(['verify', '--record', file, '--seq', '1', '--at', '1790000000'], { env })
    expect(late.stdout).toMatch(/^refused: timestamp_out_of_range/)
  })

  it.each([
    [['--seq', '1'], /--seq needs --record FILE/],
    [['--record', 'FILE', '--seq', '3'], /--seq takes a whole number from 1 to 2/],
    [['--record', 'FILE', '--header', 'A: b'], /give --record, or the headers and the body, not both/],
    [['--record', '/nowhere.ndjson'], /--record \/nowhere\.ndjson: the file does not exist/],
  ])('%j is a usage error', async (args, message) => {
    const { file } = await recorded(['{}', '{}'])
    const given = args.map((arg) => (arg === 'FILE' ? file : arg))
    const { code, stderr } = await hookgate(['verify', ...given], { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('verify refuses an export of the page, whose signatures are hidden', async () => {
    const inspector = await startInspector()
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    const exported = await (await inspector.ask('export.ndjson')).text()
    const file = await temporaryFile('hookgate.ndjson', exported)
    const { code, stderr } = await hookgate(['verify', '--record', file], { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /its signature is hidden, as in every export of the page; use a file of listen --record/,
    )
  })

  it('verify refuses an empty record, and a body that was not kept', async () => {
    const empty = await temporaryFile('empty.ndjson', '')
    expect((await hookgate(['verify', '--record', empty], { env })).stderr).toMatch(
      /the file has no deliveries/,
    )
    const file = join(await temporaryDirectory(), 'deliveries.ndjson')
    const { deliver, listener } = await startInspector(['--record', file, '--max-body', '10'])
    await deliver(await signHmac({ secret: SECRET, body: '{"more":"than ten"}' }))
    await listener.stop()
    expect((await hookgate(['verify', '--record', file], { env })).stderr).toMatch(/not recorded in full/)
  })
})
