import { expect, it } from 'vitest'
import { deliver, newSender, recordsOf, runsOf, send, signed, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'

/** Follows the answers as a sender should: 409 `event_duplicate` means that it is done, all other refusals wait. */
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
  it('fifty identical deliveries at once are one run', async () => {
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

  it('forty events, each delivered three times, and eight workers: forty runs, forty effects', async () => {
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

  it('publishing and disabling while events come: each is accepted with its run, or refused without', async () => {
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
