import { chmodSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diagnose } from './support.ts'

const GOOD = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hookgate-doctor-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

async function secretFile(content: string | Buffer, mode = 0o600): Promise<string> {
  const path = join(await folder(), 'secret.txt')
  await writeFile(path, content)
  chmodSync(path, mode)
  return path
}

const MAKE = 'make one: hookgate secret'
const PUT = "put the sender's secret there; if you make it yourself: hookgate secret"

describe('the check secret.shape', () => {
  it.each([
    ['quotes', `"${GOOD}"`, 'fail', 'has quotes around it', 'remove them'],
    ['a trailing space', `${GOOD} `, 'fail', 'has a space at its end', 'remove it'],
    ['a placeholder', `\${WEBHOOK_SECRET}`, 'fail', 'the name of a variable', 'pass its value'],
    ['a template', '{{ webhook_secret }}', 'fail', 'the name of a variable', 'pass its value'],
    ['an API key', 'sk_live_51H8xYzABCDEFGHIJKLMNOP', 'fail', 'is an API key', MAKE],
    ['a short one', 'r7XkP2mQ', 'fail', 'must have at least 16 characters', MAKE],
    ['a guessable one', 'password-of-this-listener', 'fail', 'is easy to guess', MAKE],
    ['one repeated character', 'a'.repeat(43), 'fail', 'is easy to guess', MAKE],
    ['an empty one', '', 'fail', 'is empty or blank', PUT],
    ['a blank one', '   ', 'fail', 'is empty or blank', PUT],
    [
      'a line break',
      `${GOOD.slice(0, 20)}\n${GOOD.slice(20)}`,
      'fail',
      'has a line break in it',
      'remove it',
    ],
    [
      'a PEM block',
      '-----BEGIN PUBLIC KEY----- MFkwEwYHKoZIzj0CAQ',
      'fail',
      'is a PEM, a URL, a JWT or JSON',
      MAKE,
    ],
    [
      "another sender's",
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'warn',
      'another sender',
      "use that sender's scheme",
    ],
    ['base64', 'eDNKVFpMSGpFMXkyTGpkazJhSnF3SHQ2eXFCSGNEVmQ=', 'warn', 'looks like base64', 'is not decoded'],
    [
      'hexadecimal',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
      'warn',
      'hexadecimal',
      'is not decoded',
    ],
    ['fewer than 256 bits', 'r7XkP2mQ-tZ9wB4vN_cL', 'warn', 'shorter than 256 bits', MAKE],
  ])('secret.shape finds %s', async (_, secret, status, seen, fix) => {
    const { code, complaints, output } = await diagnose([], { env: { HOOKGATE_SECRET: secret } })
    expect(complaints).toHaveLength(1)
    expect(complaints[0]).toMatch(`${status} secret.shape: HOOKGATE_SECRET `)
    expect(complaints[0]).toContain(seen)
    expect(complaints[0]).toContain(fix)
    expect(code).toBe(status === 'fail' ? 1 : 0)
    if (secret.trim().length > 8) expect(output).not.toContain(secret.trim().slice(0, 12))
  })

  it.each([
    ['a byte order mark', Buffer.from(`\ufeff${GOOD}`), 'has a byte order mark at its start', 'remove it'],
    ['UTF-16', Buffer.from(GOOD, 'utf16le'), 'is not UTF-8 text', 'save it as UTF-8'],
  ])('secret.shape finds %s in a file', async (_, content, seen, fix) => {
    const { code, complaints } = await diagnose(['--secret-file', await secretFile(content)])
    expect(complaints.join()).toMatch(new RegExp(`fail secret.shape: .*${seen} → .*${fix}`))
    expect(code).toBe(1)
  })

  it('secret.shape finds a missing file', async () => {
    const { complaints } = await diagnose(['--secret-file', join(await folder(), 'none.txt')])
    expect(complaints.join()).toMatch(/fail secret.shape: .*none.txt does not exist → correct --secret-file/)
  })

  it.skipIf(process.platform === 'win32')('secret.shape finds a file that others can read', async () => {
    const { code, complaints } = await diagnose(['--secret-file', await secretFile(`${GOOD}\n`, 0o644)])
    expect(complaints.join()).toMatch(/warn secret.shape: .* can be read by other users .* → chmod 600 /)
    expect(code).toBe(0)
  })

  it('secret.shape finds the same secret twice, where the second should be the next one', async () => {
    const files = [await secretFile(GOOD), await secretFile(`${GOOD}\n`)]
    const { complaints } = await diagnose(files.flatMap((file) => ['--secret-file', file]))
    expect(complaints.join()).toMatch(/fail secret.shape: .* is the same as .* → rotate to a new secret/)
  })
})

it('secret.shape only says of a good secret that it looks generated', async () => {
  const { findings, output } = await diagnose(['--secret-file', await secretFile(`${GOOD}\n`)])
  expect(findings.filter(({ id }) => id === 'secret.shape')).toEqual([
    {
      id: 'secret.shape',
      status: 'ok',
      seen: expect.stringMatching(/secret.txt: 43 characters, as made by hookgate secret$/),
    },
  ])
  expect(output).not.toContain(GOOD.slice(0, 8))
})
