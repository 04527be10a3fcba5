import { expect, test } from 'vitest'
import { maskFor } from '../../../cli/inspector/mask.ts'
import { spellingsOf } from '../../../cli/lib/spellings.ts'

const SECRETS = [
  'plain-0123456789-abcdefghijklmnopqrstuv',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/==',
  'a"quote and a \\ backslash',
  'tab\tand line\nbreak',
  'äöü-ß-😀-secret',
  '<b>&\'"`=+</b>/secret',
  "it's 100% (secret)! *~",
]

const asUnicode =
  (characters: RegExp, digits = (hex: string) => hex) =>
  (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(characters, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)

/** How the libraries of several languages write a text into what they send. */
const WRITERS: { readonly [name: string]: (secret: string) => string | Buffer } = {
  'as it is': (secret) => secret,
  'JSON of JavaScript': (secret) => JSON.stringify({ at: secret }),
  'JSON of Python, in ASCII': asUnicode(/[^ -~]/g),
  'JSON of PHP, with escaped slashes': (secret) => asUnicode(/[^ -~]/g)(secret).replaceAll('/', '\\/'),
  'JSON of Go': asUnicode(/[<>&]/g),
  'JSON of .NET, with capital digits': (secret) =>
    asUnicode(/[^ -~]|[<>&'+`]/g, (hex) => hex.toUpperCase())(secret).replaceAll('\\"', '\\u0022'),
  'JSON in a text of JSON': (secret) => JSON.stringify({ body: JSON.stringify({ secret }) }),
  'a field of a form': (secret) => `${new URLSearchParams({ secret })}`,
  'a part of a URL': (secret) => `/hooks/${encodeURIComponent(secret)}/x`,
  'a part of a URL, with small digits': (secret) =>
    encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
  'JSON in a field of a form': (secret) => `${new URLSearchParams({ payload: JSON.stringify({ secret }) })}`,
  HTML: (secret) =>
    secret.replace(
      /[&<>"']/g,
      (each) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[each]};`,
    ),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'capital hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 of a text around it': (secret) => Buffer.from(`user:${secret}!`).toString('base64'),
  'base64 of another such text': (secret) => Buffer.from(`a user:${secret} and more`).toString('base64'),
  base64url: (secret) => Buffer.from(`x${secret}`).toString('base64url'),
}

/** What remains of the secret: any run of it that is long enough to matter. */
function remains(text: string, secret: string, write: (part: string) => string | Buffer): boolean {
  const middle = secret.slice(2, -2)
  return [secret, middle].some((part) => text.includes(part)) || text.includes(`${write(secret)}`)
}

test.each(Object.keys(WRITERS))('the mask hides every secret that is written as %s', (name) => {
  const write = WRITERS[name] ?? String
  for (const secret of SECRETS) {
    const mask = maskFor([secret], [])
    const written = `before ${write(secret)} after`
    const masked = mask.text(written)
    expect(masked, secret).toContain('(the secret)')
    expect(remains(masked, secret, write), `${secret}: ${masked}`).toBe(false)
    const bytes = Buffer.from(mask.bytes(Buffer.from(written))).toString()
    expect(bytes, secret).toContain('********')
    expect(remains(bytes, secret, write), `${secret}: ${bytes}`).toBe(false)
    expect(Buffer.byteLength(bytes)).toBe(Buffer.byteLength(written))
  }
})

test('a secret that the sender brings later is hidden too, and one that is too short to tell apart is not', () => {
  const brought: string[] = []
  const mask = maskFor(brought, [])
  brought.push('later"0123', 'short')
  expect(mask.text('{"a":"later\\"0123","b":"short"}')).toBe('{"a":"(the secret)","b":"short"}')
})

test('the spellings of a text are few, and none of them is short', () => {
  for (const secret of [...SECRETS, 'x'.repeat(1000)]) {
    const spellings = spellingsOf(secret)
    expect(spellings.length).toBeLessThan(250)
    expect(Math.min(...spellings.map(({ length }) => length))).toBeGreaterThan(8)
  }
})
