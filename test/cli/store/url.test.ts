import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../cli/command-line/exit.ts'
import { parseStoreUrl } from '../../../cli/store/url.ts'
import fc from '../../support/property.ts'

const TO_POSTGRES = 'postgres://me:open%2Fsesame@db.example:5432/hooks?sslkey=key.pem'

const WANTED =
  '--store or HOOKGATE_STORE takes redis://HOST, postgres://HOST/DATABASE, mysql://HOST/DATABASE or sqlite:FILE'
const UNCLEAR =
  'the password in --store is ambiguous: percent-encode its special characters (@ is %40, / is %2F)'

/** Characters with and without a meaning in a URL, some of them percent-encoded. */
function password(): fc.Arbitrary<string> {
  const units = fc.oneof(
    fc.constantFrom(...'@/?#:[]%\\;,&=+.~ \t\n'),
    fc.constantFrom('%40', '%2F', '%zz', '://', '@db.example', '127.0.0.1', 'é', '\u200b'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
    fc.stringMatching(/^[a-z0-9]{3,8}$/),
  )
  return fc.array(units, { minLength: 2, maxLength: 6 }).map((parts) => `x${parts.join('')}`)
}

/** Everything that may be printed about a store with this URL, if its client repeats the URL and the password. */
function said(text: string, secret: string): string {
  try {
    const { shown, redact } = parseStoreUrl(text)
    return `${shown} ${[text, secret, decoded(secret), new URL(text).password].map(redact).join(' ')}`
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

describe('--store', () => {
  test.each([
    ['sqlite:events.db', 'sqlite', 'events.db'],
    ['sqlite:/var/my events.db', 'sqlite', '/var/my events.db'],
    ['sqlite:///var/events.db', 'sqlite', '/var/events.db'],
    ['redis://h', 'redis', 'redis://h'],
    ['rediss://h:6380/1', 'redis', 'rediss://h:6380/1'],
    ['postgres://h/d', 'postgres', 'postgres://h/d'],
    ['postgresql://h/d', 'postgres', 'postgresql://h/d'],
    ['mysql://h/d', 'mysql', 'mysql://h/d'],
    ['mariadb://h/d', 'mysql', 'mariadb://h/d'],
  ])('%s is %s', (text, engine, target) => {
    expect(parseStoreUrl(text)).toMatchObject({ engine, target })
  })

  test.each([
    '',
    'redis',
    'events.db',
    '/events.db',
    'mongodb://h/d',
    'sqlite:',
    'sqlite::memory:',
    'sqlite://',
    'http://h',
  ])('%j is refused', (text) => {
    expect(() => parseStoreUrl(text)).toThrow(UsageError)
  })

  test('two slashes before a file are refused, because the file would be at the root of the disk', () => {
    expect(() => parseStoreUrl('sqlite://events.db')).toThrow(/^--store sqlite:\/\/… names a host/)
  })

  test('what is refused is not repeated', () => {
    expect(() => parseStoreUrl('mongodb://me:sesame@h/d')).toThrow(
      /^--store or HOOKGATE_STORE takes redis:\/\/HOST, [^@]*$/,
    )
  })

  test('the engine and the host alone are shown', () => {
    expect(parseStoreUrl(TO_POSTGRES).shown).toBe('postgres://db.example:5432')
    expect(parseStoreUrl('redis://[::1]:6380/1').shown).toBe('redis://[::1]:6380')
    expect(parseStoreUrl('postgres://me:secret@%2Frun%2Fpg/d').shown).toBe('postgres://%2Frun%2Fpg')
  })

  test.each([
    'redis://:p@ss/s3cret@db.example',
    'redis://me:12/s3cret@db.example',
    'redis://me:12?s3cret@db.example',
    'redis://me:12#s3cret@db.example',
    'redis://me:p@ss@db.example',
    'redis://me:p\\ss@db.example',
    'redis://me:p\nss@db.example',
    'redis://me:pässword@db.example',
    'postgres://h/d?options=me@tenant',
  ])('%j is refused: clients disagree where its password ends', (text) => {
    expect(() => parseStoreUrl(text)).toThrow(UNCLEAR)
  })

  test('every character that RFC 3986 allows in a password is accepted, and every encoded one', () => {
    const password = `azAZ09-._~!$&'()*+,;=:${encodeURIComponent('@/?#\\%[]"<> \n\u00e9')}`
    expect(parseStoreUrl(`redis://me:${password}@db.example/0`).shown).toBe('redis://db.example')
  })

  test('no part of any password is printed', () => {
    fc.assert(
      fc.property(fc.constantFrom('redis', 'rediss', 'postgres', 'mysql'), password(), (scheme, secret) => {
        const printed = said(`${scheme}://me:${secret}@db.example:5432/0`, secret)
        // No text here contains a part of the password.
        expect([UNCLEAR, WANTED, `${scheme}://db.example:5432${' ***'.repeat(4)}`]).toContain(printed)
      }),
      { numRuns: 5000 },
    )
  })

  test('no part of any parameter is printed', () => {
    fc.assert(
      fc.property(password(), (secret) => {
        const encoded = encodeURIComponent(secret.toWellFormed())
        const printed = said(`postgres://db.example/d?sslmode=no&password=${encoded}`, encoded)
        expect(printed).toBe('postgres://db.example *** *** *** ')
      }),
    )
  })

  test.each([
    [`cannot open ${TO_POSTGRES}`, 'cannot open ***'],
    ['password open/sesame is wrong', 'password *** is wrong'],
    ['password open%2Fsesame is wrong', 'password *** is wrong'],
    ['key.pem: no such file', '***: no such file'],
    ['connect ECONNREFUSED db.example:5432', 'connect ECONNREFUSED db.example:5432'],
  ])('%s is shown as %s', (message, told) => {
    expect(parseStoreUrl(TO_POSTGRES).redact(message)).toBe(told)
  })
})
