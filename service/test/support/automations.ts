import { type SignedRequest, signHmac } from 'hookgate/testing'
import { expect } from 'vitest'
import type { Database, Transaction } from '../../src/database/database.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { attempt } from '../../src/runs/worker.ts'
import type { Subject } from './databases.ts'
import { replyOf } from './reply.ts'

/** An automation, and what its sender needs. */
export interface Sender {
  readonly automationId: string
  readonly listenerId: string
  readonly path: string
  readonly secret: string
}

export const RECORD = [{ type: 'record', valueCel: 'ctx.trigger' }]

/** Creates an HMAC automation, published and enabled by default. */
export async function newSender(
  subject: Subject,
  {
    steps = RECORD as object[],
    webhook = { hmac: {} } as object,
    publish = true,
    enabled = true,
  }: { steps?: object[]; webhook?: object; publish?: boolean; enabled?: boolean } = {},
): Promise<Sender> {
  const { status, body } = await subject.post('/api/v1/automations', {
    displayName: 'Renewals',
    steps,
    trigger: { enabled, incomingWebhook: webhook },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  const automationId: string = body.automation.id
  if (publish) await subject.post(`/api/v1/automations/${automationId}/action/publish`, undefined)
  const { listenerId, url } = body.automation.trigger.incomingWebhook
  const path = url.replace('https://tenant.example', '')
  return { automationId, listenerId, path, secret: body.signingSecret?.secret ?? '' }
}

/** A delivery signed at the subject's time. */
export function signed(
  subject: Subject,
  { secret }: Pick<Sender, 'secret'>,
  body: unknown = { hello: 'world' },
  eventId: string = crypto.randomUUID(),
): Promise<SignedRequest> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return signHmac({ secret, body: text, eventId, timestamp: Math.floor(subject.clock.now() / 1000) })
}

export async function deliver(subject: Subject, { path }: Pick<Sender, 'path'>, request: SignedRequest) {
  return replyOf(await subject.app.request(path, request))
}

/** Signs and delivers. */
export async function send(subject: Subject, sender: Sender, body?: unknown, eventId?: string) {
  return deliver(subject, sender, await signed(subject, sender, body, eventId))
}

/**
 * Sends an event whose run the test waits for, and again while the service is unavailable, as senders do: a claim may
 * take two seconds, and a busy machine may stand still for longer. A test that ignores a refusal waits in vain.
 */
export async function sendAccepted(subject: Subject, sender: Sender, body?: unknown, eventId?: string) {
  const request = await signed(subject, sender, body, eventId)
  let reply = await deliver(subject, sender, request)
  while (reply.body.code === 'unavailable') reply = await deliver(subject, sender, request)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply
}

/** Performs the next step of the run whose turn it is. Returns whether there was one. */
export async function workOnNext(dependencies: Dependencies): Promise<boolean> {
  const run = await dependencies.runs.take()
  if (run) await attempt(dependencies, run)
  return run !== undefined
}

/** Works on every run that is due. */
export async function workAll(subject: Subject): Promise<void> {
  while (await workOnNext(subject.dependencies));
}

/** Every unfinished run becomes due, as when leases and pauses end. */
export async function makeDue({ database }: Subject): Promise<void> {
  await database.query('UPDATE runs SET due_at = now() WHERE finished_at IS NULL')
}

/** A database that does something more in the transaction that writes a run. */
export function beforeRun(subject: Subject, more: (tx: Transaction) => Promise<unknown>): Database {
  return {
    ...subject.database,
    transaction: (work) =>
      subject.database.transaction((tx) =>
        work({
          ...tx,
          query: async (text, params) => {
            if (text.startsWith('INSERT INTO runs')) await more(tx)
            return tx.query(text, params)
          },
        }),
      ),
  }
}

export async function runsOf(subject: Subject, { automationId }: Pick<Sender, 'automationId'>) {
  const { body } = await subject.get(`/api/v1/automations/${automationId}/runs?page_size=100`)
  return body.list.map(({ run }) => run)
}

/** The newest run. */
export async function runOf(subject: Subject, sender: Sender) {
  const [run] = await runsOf(subject, sender)
  if (run === undefined) throw new Error('the automation has no run')
  return run
}

export async function recordsOf(
  subject: Subject,
  { automationId }: Pick<Sender, 'automationId'>,
): Promise<unknown[]> {
  const { body } = await subject.get(`/api/v1/automations/${automationId}/records?page_size=100`)
  return body.list.map(({ record }) => JSON.parse(record.value))
}
