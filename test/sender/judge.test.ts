import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { problem } from '../../src/reply.ts'
import { judge } from '../../src/sender/index.ts'
import { fakeClock } from '../support/clock.ts'

const code = (code: string) => JSON.stringify({ status: 0, title: '', code })

describe('judge', () => {
  it.each([
    [200, '', 'done'],
    [299, '', 'done'],
    [409, code('event_duplicate'), 'done'],
    [409, 'Conflict', 'done'],
    [503, code('event_in_progress'), 'again'],
    [503, code('unavailable'), 'again'],
    [500, '', 'again'],
    [599, '', 'again'],
    [408, '', 'again'],
    [425, '', 'again'],
    [429, '', 'again'],
    [400, code('body_incomplete'), 'again'],
    [0, '', 'again'],
    [199, '', 'again'],
    [410, '', 'gone'],
    [300, '', 'never'],
    [302, '', 'never'],
    [399, '', 'never'],
    [400, code('timestamp_out_of_range'), 'never'],
    [401, code('unauthorized'), 'never'],
    [403, '', 'never'],
    [404, '', 'never'],
    [405, '', 'never'],
    [499, '', 'never'],
  ])('%i %s is %s', (status, body, outcome) => {
    expect(judge(status, {}, body).outcome).toBe(outcome)
    expect(judge(status, {}, Buffer.from(body)).outcome).toBe(outcome)
  })

  it('judge says why a redirect is not followed, and nothing about a 404', () => {
    expect(judge(301)).toEqual({ outcome: 'never', reason: 'redirected' })
    expect(judge(404)).toEqual({ outcome: 'never' })
  })

  it('judge waits after a 409 with Retry-After, unless hookgate reports a duplicate', () => {
    const headers = { 'retry-after': '7' }
    expect(judge(409, headers)).toEqual({ outcome: 'again', retryAfterMs: 7000 })
    expect(judge(409, headers, code('event_duplicate'))).toEqual({ outcome: 'done', code: 'event_duplicate' })
  })

  it.each([
    ['disable', 200, 'gone', 'endpoint_disabled'],
    ['disable', 500, 'gone', 'endpoint_disabled'],
    ['Disable ', 404, 'gone', 'endpoint_disabled'],
    ['abort-message', 500, 'never', 'message_aborted'],
    ['abort-message', 429, 'never', 'message_aborted'],
    ['abort-message', 200, 'done', undefined],
    ['something else', 500, 'again', undefined],
  ])('webhook-delivery: %s with a %i is %s', (told, status, outcome, reason) => {
    expect(judge(status, { 'webhook-delivery': told })).toMatchObject({
      outcome,
      ...(reason === undefined ? {} : { reason }),
    })
  })

  it.each([
    ['a Headers object', new Headers({ 'Retry-After': '9' })],
    ['a record, in any case', { 'Retry-AFTER': '9' }],
    ['a record of lists', { 'retry-after': ['9', '10'] }],
  ])('judge reads %s', (_, headers) => {
    expect(judge(503, headers)).toEqual({ outcome: 'again', retryAfterMs: 9000 })
  })
})

describe('Retry-After', () => {
  const clock = fakeClock()
  const inSeconds = (seconds: number) => new Date(clock.now() + seconds * 1000).toUTCString()

  it.each([
    ['0', 1000],
    ['1', 1000],
    ['2', 2000],
    ['86400', 86_400_000],
    ['86401', 86_400_000],
    ['999999999999999', 86_400_000],
    [inSeconds(120), 120_000],
    [inSeconds(-120), 1000],
    [inSeconds(90_000), 86_400_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 1000],
    ['Sun Nov  6 08:49:37 1994', 1000],
  ])('%s is %i ms', (value, retryAfterMs) => {
    expect(judge(503, { 'retry-after': value }, '', clock)).toEqual({ outcome: 'again', retryAfterMs })
  })

  it.each([
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '1, 2',
    'Sun',
    '9999999999999999',
    `Sun${' '.repeat(10_000)}1`,
  ])('%j is ignored', (value) => {
    expect(judge(503, { 'retry-after': value }, '', clock)).toEqual({ outcome: 'again' })
  })
})

describe('the code of an answer', () => {
  it.each([
    ['a longer body than is read', `{"code":"event_duplicate","x":"${'x'.repeat(4096)}"}`],
    ['a code with a line break', '{"code":"event\\nduplicate"}'],
    ['a code of 65 characters', `{"code":"${'a'.repeat(65)}"}`],
    ['a number', '{"code":1}'],
    ['null', 'null'],
    ['broken JSON', '{"code":"event_duplicate"'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff])],
  ])('the code is not taken from %s', (_, body) => {
    expect(judge(503, {}, body)).toEqual({ outcome: 'again' })
  })

  it('the code is otherwise taken unchanged', () => {
    expect(judge(503, {}, `{"code":"${'a'.repeat(64)}"}`)).toMatchObject({ code: 'a'.repeat(64) })
  })
})

describe('all 80 vectors', () => {
  interface Vector {
    readonly name: string
    readonly status: 200 | 400 | 401 | 409
  }
  const vectors: readonly Vector[] = JSON.parse(
    readFileSync(new URL('../../docs/vectors/deliveries.json', import.meta.url), 'utf8'),
  ).deliveries
  const EXPECTED = { 200: 'done', 400: 'never', 401: 'never', 409: 'done' } as const

  it('all 80 vectors are there', () => {
    expect(vectors.length).toBeGreaterThan(50)
  })

  it.each(vectors)('$name: $status is judged as docs/senders.md says', ({ status }) => {
    const answer =
      status === 200 ? { body: '' } : problem(status, status === 409 ? 'event_duplicate' : 'code')
    expect(judge(status, {}, answer.body).outcome).toBe(EXPECTED[status])
  })
})
