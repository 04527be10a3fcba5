import { describe, expect, it } from 'vitest'
import { jobId } from '../../src/handoff/index.ts'
import { JobIdError } from '../../src/handoff/job-id.ts'
import fc from '../support/property.ts'

const UUID = '0b1a8f6e-5a53-4f2c-9b8e-2f1d3c4b5a69'

const listenerId = fc.stringMatching(/^[A-Za-z0-9_-]([A-Za-z0-9_.-]{0,8}[A-Za-z0-9_-])?$/)
/** Dots, colons, other scripts and lone surrogates included. */
const eventId = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
  fc.stringMatching(/^[a-z.:]{1,4}$/),
  fc.constantFrom('\ud800', '\udbff', '\ufffd', '\\ud800'),
)
const event = fc.record({ listenerId, id: eventId })

describe('jobId', () => {
  it('jobId is the listener and the event, with a dot between', () => {
    expect(jobId({ listenerId: 'acme.orders', id: UUID })).toBe(`acme.orders.${UUID}`)
    expect(jobId({ listenerId: 'stripe', id: 'evt_1Q' })).toBe('stripe.evt_1Q')
  })

  it('jobId writes an event ID that queues would refuse as base64url', () => {
    expect(jobId({ listenerId: 'a', id: 'b:c' })).toBe('a..ImI6YyI')
  })

  it('jobId differs for any two events, even if they contain dots', () => {
    fc.assert(
      fc.property(event, event, (one, other) => {
        const same = one.listenerId === other.listenerId && one.id === other.id
        expect(jobId(one) === jobId(other)).toBe(same)
      }),
      { numRuns: 5000 },
    )
    const confusable = [
      { listenerId: 'a', id: 'b.c' },
      { listenerId: 'a.b', id: 'c' },
      { listenerId: 'a', id: '\ud800' },
      { listenerId: 'a', id: '\ufffd' },
      { listenerId: 'a', id: 'ImIuYyI' },
    ]
    expect(new Set(confusable.map(jobId)).size).toBe(confusable.length)
  })

  it('jobId holds letters, digits, `-`, `_` and `.` only', () => {
    fc.assert(
      fc.property(event, (any) => {
        expect(jobId(any)).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
      }),
    )
  })

  it('jobId accepts 128 characters, and refuses 129', () => {
    expect(jobId({ listenerId: 'l'.repeat(91), id: UUID })).toHaveLength(128)
    expect(() => jobId({ listenerId: 'l'.repeat(92), id: UUID })).toThrow(
      'jobId: the name has 129 characters, and queues take 128: give defineListener a shorter id',
    )
  })

  it.each(['', '.', '.orders', 'orders.', 'acme/orders', 'acme:orders', 'ordérs', 'orders\n'])(
    'jobId refuses the listener ID %j',
    (given) => {
      expect(() => jobId({ listenerId: given, id: UUID })).toThrow(JobIdError)
    },
  )

  it.each([{ listenerId: 'orders' }, { id: UUID }, { listenerId: ['orders'], id: UUID }])(
    'jobId refuses %j, or all such events would share a job',
    (event) => {
      expect(() => Reflect.apply(jobId, undefined, [event])).toThrow(JobIdError)
    },
  )

  it('jobId refuses with a code, and a link to its entry', () => {
    const link = expect.stringMatching(/errors\.md#err_job_id$/)
    for (const given of ['.', 'l'.repeat(92)]) {
      const refusal = expect.objectContaining({ code: 'ERR_JOB_ID', help: link })
      expect(() => jobId({ listenerId: given, id: UUID })).toThrow(refusal)
    }
  })
})
