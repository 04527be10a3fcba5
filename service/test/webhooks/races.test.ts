import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import {
  beforeRun,
  deliver,
  newSender,
  recordsOf,
  runsOf,
  send,
  signed,
  workAll,
} from '../support/automations.ts'
import { describeOnPostgres, describeService, type Subject } from '../support/databases.ts'

/** Reacts to answers like a sender: 409 `event_duplicate` means done, and after any other refusal it waits. */
async function deliverUntilDone(
  subject: Subject,
  sender: { path: string },
  request: Parameters<typeof deliver>[2],
) {
  const seen: string[] = []
  for (;;) {
    const { status, body } = await deliver(subject, sender, request)
    seen.push(status === 200 ? '200' : body.code)
    if (status === 200 || body.code === 'event_duplicate') return seen
  }
}

describeService('races', (subject) => {
  it('fifty identical deliveries run once', async () => {
    const sender = await newSender(subject)
    const request = await signed(subject, sender, { number: 1 })
    const all = await Promise.all(
      Array.from({ length: 50 }, () => deliverUntilDone(subject, sender, request)),
    )
    expect(all.flat().filter((answer) => answer === '200')).toHaveLength(1)
    const others = new Set(all.flat().filter((answer) => answer !== '200'))
    expect([...others].filter((code) => !/^event_(duplicate|in_progress)$/.test(code))).toStrictEqual([])
    await workAll(subject)
    expect(await runsOf(subject, sender)).toHaveLength(1)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('forty events delivered three times to eight workers run once each', async () => {
    const sender = await newSender(subject)
    const requests = await Promise.all(
      Array.from({ length: 40 }, (_, number) => signed(subject, sender, { number })),
    )
    await Promise.all(
      [...requests, ...requests, ...requests].map((each) => deliverUntilDone(subject, sender, each)),
    )
    await Promise.all(Array.from({ length: 8 }, () => workAll(subject)))
    await workAll(subject)
    const numbers = (await recordsOf(subject, sender)).map((record) => Reflect.get(Object(record), 'number'))
    expect(numbers.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 40 }, (_, number) => number))
  })

  it('each event has a run or a refusal during publishing and disabling', async () => {
    const sender = await newSender(subject)
    const path = `/api/v1/automations/${sender.automationId}`
    const toggle = async () => {
      for (const enabled of [false, true, false, true]) await subject.patch(path, { trigger: { enabled } })
    }
    const statuses: number[] = []
    const sending = Array.from({ length: 20 }, async (_, number) => {
      statuses.push((await send(subject, sender, { number })).status)
    })
    await Promise.all([toggle(), ...sending])
    const accepted = statuses.filter((status) => status === 200).length
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
    expect(await runsOf(subject, sender)).toHaveLength(accepted)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toHaveLength(accepted)
  })
})

// PGlite has one connection, so the second delivery waits there and finds the event done.
describeOnPostgres('an event in progress', (subject) => {
  it('another delivery of an event in progress gets 503 with Retry-After, then 409 once accepted', async () => {
    const sender = await newSender(subject)
    const request = await signed(subject, sender, { number: 1 })
    let refused: Response | undefined
    const database = beforeRun(subject, async () => {
      refused ??= await post() // while the event's transaction is open
    })
    const app = createApp({ ...subject.dependencies, database })
    const post = () => app.request(sender.path, request)
    expect((await post()).status).toBe(200)
    expect([refused?.status, refused?.headers.get('retry-after'), await refused?.json()]).toStrictEqual([
      503,
      '20',
      { status: 503, title: 'Service Unavailable', code: 'event_in_progress' },
    ])
    expect((await deliver(subject, sender, request)).status).toBe(409)
    expect(await runsOf(subject, sender)).toHaveLength(1)
  })
})
