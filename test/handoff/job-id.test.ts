import { describe, expect, it } from 'vitest'
import * as node from '../../src/crypto/node.ts'
import * as web from '../../src/crypto/web.ts'
import { jobId, jobUuid } from '../../src/handoff/index.ts'
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

describe('jobUuid', () => {
  const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  it('jobUuid stays the same for an event, from version to version: queues remember it', async () => {
    expect(await jobUuid({ listenerId: 'stripe', id: 'evt_1Q' })).toBe('202ec0af-ddad-8fd0-a564-0d600aa27694')
  })

  it('jobUuid is a UUIDv8 that an event always gets, and that no two events share', async () => {
    const anyText = fc.string({ maxLength: 12, unit: 'binary' })
    const any = fc.record({ listenerId: fc.oneof(listenerId, anyText), id: fc.oneof(eventId, anyText) })
    await fc.assert(
      fc.asyncProperty(any, any, async (one, other) => {
        const same = one.listenerId === other.listenerId && one.id === other.id
        const [first, again, second] = await Promise.all([one, { ...one }, other].map(jobUuid))
        expect(first).toMatch(UUID_V8)
        expect(again).toBe(first)
        expect(first === second).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it('jobUuid differs for events that jobId would refuse or that look alike', async () => {
    const alike = [
      ...['b.c', '', 'B.C', 'b.c ', '\ud800', '\ufffd', '\\ud800', 'b\0c'].map((id) => ({
        listenerId: 'a',
        id,
      })),
      { listenerId: 'a.b', id: 'c' },
      { listenerId: '', id: 'a.b.c' },
      { listenerId: '["a"', id: '"b"]' },
      { listenerId: 'a","b', id: 'c' },
      { listenerId: 'a', id: 'b","c' },
      { listenerId: 'l'.repeat(100_000), id: 'x' },
      { listenerId: 'l'.repeat(100_001), id: 'x' },
    ]
    expect(new Set(await Promise.all(alike.map(jobUuid))).size).toBe(alike.length)
  })

  it('jobUuid is the same of an event, of its envelope and of the event in the worker', async () => {
    const ids = { listenerId: 'orders', id: UUID }
    const others = { type: 'paid', rawBody: new Uint8Array(), sentAt: new Date() }
    expect(await jobUuid({ ...ids, ...others })).toBe(await jobUuid(ids))
  })

  it('jobUuid is the same on the builds for Node and for the web', async () => {
    await fc.assert(
      fc.asyncProperty(event, async ({ listenerId, id }) => {
        const text = JSON.stringify([listenerId, id])
        expect(await web.sha256(text, 'hex')).toBe(await node.sha256(text, 'hex'))
      }),
    )
  })

  it.each([
    { listenerId: 'orders' },
    { id: UUID },
    { listenerId: ['orders'], id: UUID },
    { listenerId: 'a', id: 7 },
  ])('jobUuid refuses %j, or all such events would share a job', async (given) => {
    const refused = expect.objectContaining({
      code: 'ERR_JOB_ID',
      message: 'jobUuid: pass an event with a listenerId and an id',
    })
    await expect(Reflect.apply(jobUuid, undefined, [given])).rejects.toEqual(refused)
  })
})
