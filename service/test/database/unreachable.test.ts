import { readFile } from 'node:fs/promises'
import { EventStoreError, KeySetError } from 'hookgate'
import { describe, expect, it } from 'vitest'
import { openPostgres } from '../../src/database/postgres.ts'
import { isUnreachable } from '../../src/database/unreachable.ts'

const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)

async function connecting(connectionString: string): Promise<unknown> {
  const database = openPostgres({ connectionString }, () => {})
  const error = await failure(database.query('SELECT'))
  await database.close()
  return error
}

const withCode = (code: string) => Object.assign(new Error('said by Postgres'), { code })

describe('isUnreachable', () => {
  it.each(['postgres://127.0.0.1:1/x', 'postgres://localhost:1/x', 'postgres://x@localhost/x?host=/nowhere'])(
    'isUnreachable recognises the error of connecting to %s',
    async (url) => {
      const error = await connecting(url)
      expect([isUnreachable(error), error]).toEqual([true, error])
    },
  )

  const CODES = '08006 25006 28P01 3D000 53100 53300 57P01 57P02 57P03 57P04 57P05'.split(' ')
  it.each(CODES)('isUnreachable recognises the code %s', (code) => {
    expect(isUnreachable(withCode(code))).toBe(true)
    expect(isUnreachable(new EventStoreError('no answer', { cause: withCode(code) }))).toBe(true)
  })

  it.each(['23505', '57014', '22021', '42P01'])('isUnreachable ignores the code %s', (code) => {
    expect(isUnreachable(withCode(code))).toBe(false)
    expect(isUnreachable(new EventStoreError('no answer', { cause: withCode(code) }))).toBe(false)
  })

  it.each(['claim', 'complete'])('isUnreachable recognises a store that hangs in %s', (call) => {
    const late = `the event store did not ${call} within 2000 ms`
    expect(isUnreachable(new EventStoreError(late))).toBe(true)
    expect(isUnreachable(new EventStoreError('the event store must answer claim with one of claimed'))).toBe(
      false,
    )
  })

  it('isUnreachable ignores a missing file and an unreachable key host', async () => {
    expect(isUnreachable(await failure(readFile('/nowhere')))).toBe(false)
    const cause = await connecting('postgres://127.0.0.1:1/x')
    expect(isUnreachable(new KeySetError('the key host is down', 30, { cause }))).toBe(false)
    expect(isUnreachable('text')).toBe(false)
    expect(isUnreachable(undefined)).toBe(false)
  })
})
