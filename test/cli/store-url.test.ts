import { describe, expect, test } from 'vitest'
import { UsageError } from '../../cli/exit.ts'
import { parseStoreUrl } from '../../cli/store-url.ts'

const TO_POSTGRES = 'postgres://me:open%2Fsesame@db.example:5432/hooks?sslkey=key.pem'

describe('--store', () => {
  test.each([
    ['sqlite:events.db', 'sqlite', 'events.db'],
    ['sqlite:/var/my events.db', 'sqlite', '/var/my events.db'],
    ['sqlite:///var/events.db', 'sqlite', '/var/events.db'],
    ['redis://h', 'redis', 'redis://h'],
    ['rediss://h:6380/1', 'redis', 'rediss://h:6380/1'],
    ['postgres://h/d', 'postgres', 'postgres://h/d'],
    ['postgresql://h/d', 'postgres', 'postgresql://h/d'],
  ])('%s is %s', (text, engine, target) => {
    expect(parseStoreUrl(text)).toMatchObject({ engine, target })
  })

  test.each([
    '',
    'redis',
    'events.db',
    '/events.db',
    'mysql://h/d',
    'sqlite:',
    'sqlite::memory:',
    'http://h',
  ])('%j is refused', (text) => {
    expect(() => parseStoreUrl(text)).toThrow(UsageError)
  })

  test('what is refused is not repeated', () => {
    expect(() => parseStoreUrl('mysql://me:sesame@h/d')).toThrow(/^--store takes redis:\/\/HOST, [^@]*$/)
  })

  test('credentials and parameters are not shown', () => {
    expect(parseStoreUrl(TO_POSTGRES).shown).toBe('postgres://db.example:5432/hooks')
  })

  test.each([
    [`cannot open ${TO_POSTGRES}`, 'cannot open ***'],
    ['password open/sesame is wrong', 'password *** is wrong'],
    ['password open%2Fsesame is wrong', 'password *** is wrong'],
    ['key.pem: no such file', '***: no such file'],
    ['connect ECONNREFUSED db.example:5432', 'connect ECONNREFUSED db.example:5432'],
  ])('%s is told as %s', (message, told) => {
    expect(parseStoreUrl(TO_POSTGRES).redact(message)).toBe(told)
  })
})
