import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { beforeRun, newSender, recordsOf, runsOf, send, signed, workAll } from '../support/automations.ts'
import { describeOnPostgres, describeService, type Subject } from '../support/databases.ts'

/** Delivers to a service with one part replaced. */
async function sendTo(
  subject: Subject,
  change: Partial<Dependencies>,
  path: string,
  request: Parameters<Subject['app']['request']>[1],
) {
  const reply = await createApp({ ...subject.dependencies, ...change }).request(path, request)
  return [reply.status, Reflect.get(Object(await reply.json()), 'code'), reply.headers.get('retry-after')]
}

describeService('an event whose acceptance fails midway', (subject) => {
  it('the endpoint answers 503 and stores nothing, so the next attempt counts as the first', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    const reports: unknown[] = []
    const database = beforeRun(subject, () => Promise.reject(new Error('no room for a run')))
    const request = await signed(subject, sender, { number: 1 }, eventId)
    const answer = await sendTo(
      subject,
      { database, report: (error) => reports.push(error) },
      sender.path,
      request,
    )
    expect(answer).toStrictEqual([503, 'unavailable', '5'])
    expect(reports.map(String)).toStrictEqual(['Error: no room for a run'])
    expect(await runsOf(subject, sender)).toStrictEqual([])
    expect(await subject.runs.take()).toBeUndefined()
    expect((await send(subject, sender, { number: 1 }, eventId)).status).toBe(200)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('the endpoint answers 503 if the commit fails', async () => {
    const sender = await newSender(subject)
    const request = await signed(subject, sender)
    const database = {
      ...subject.database,
      transaction: <T>(work: Parameters<typeof subject.database.transaction<T>>[0]) =>
        subject.database.transaction<T>(async (tx) => {
          await work(tx)
          throw new Error('the connection broke')
        }),
    }
    const answer = await sendTo(subject, { database, report: () => {} }, sender.path, request)
    expect(answer[0]).toBe(503)
    expect(await runsOf(subject, sender)).toStrictEqual([])
    expect((await send(subject, sender)).status).toBe(200)
  })

  it('the endpoint answers 503 if no transaction is available', async () => {
    const sender = await newSender(subject)
    const database = {
      ...subject.database,
      transaction: () => Promise.reject(new Error('the pool is empty')),
    }
    const request = await signed(subject, sender)
    const answer = await sendTo(subject, { database, report: () => {} }, sender.path, request)
    expect(answer).toStrictEqual([503, 'unavailable', '5'])
  })
})

// PGlite has no connection to lose.
describeOnPostgres('a broken database connection', (subject) => {
  it('a broken connection answers 503 to the event in flight, and the service goes on', async () => {
    const sender = await newSender(subject)
    const request = await signed(subject, sender)
    const database = beforeRun(subject, (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'))
    const answer = await sendTo(subject, { database, report: () => {} }, sender.path, request)
    expect(answer[0]).toBe(503)
    expect((await send(subject, sender)).status).toBe(200)
  })
})
