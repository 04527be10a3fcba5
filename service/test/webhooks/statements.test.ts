import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { deliver, newSender, sendAccepted, signed } from '../support/automations.ts'
import { describeOnPostgres } from '../support/databases.ts'

/** Calls `work`, and returns the first words of the statements that this process sends meanwhile, in order. */
async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls.map(([statement]: readonly unknown[]) => {
      const text = typeof statement === 'string' ? statement : String(Reflect.get(Object(statement), 'text'))
      return text.trim().split(/\s+/).slice(0, 3).join(' ')
    })
  } finally {
    query.mockRestore()
  }
}

describeOnPostgres('the statements of a delivery', (subject) => {
  it('an accepted delivery costs six, a duplicate two', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender) // compiles the listener
    const request = await signed(subject, sender, { number: 1 })
    const accepted = await statementsDuring(() => deliver(subject, sender, request))
    expect(accepted).toStrictEqual([
      'SELECT id, enabled,', // the listener, after the delivery arrived
      'WITH others AS', // the claim
      'BEGIN',
      'INSERT INTO runs',
      'WITH open AS', // the commit of the event
      'COMMIT',
    ])
    const duplicate = await statementsDuring(() => deliver(subject, sender, request))
    expect(duplicate).toStrictEqual(['SELECT id, enabled,', 'WITH others AS'])
  })

  it('deliveries that arrive together share the read of their listener', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender)
    const requests = await Promise.all([1, 2, 3].map((number) => signed(subject, sender, { number })))
    const sent = await statementsDuring(() =>
      Promise.all(requests.map((request) => deliver(subject, sender, request))),
    )
    expect(sent.filter((statement) => statement === 'SELECT id, enabled,')).toHaveLength(1)
    expect(sent).toHaveLength(1 + 3 * 5)
  })
})
