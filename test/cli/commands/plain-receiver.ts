import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** The steps of a receiver without hookgate. Tests replace one by a developer's mistake. */
export interface Steps {
  readonly mostBytes: number
  readonly isMethod: (method: string) => boolean
  /** All values of a header. */
  readonly one: (values: readonly string[]) => string | undefined
  readonly isType: (contentType: string) => boolean
  readonly isEncoding: (contentEncoding: string | undefined) => boolean
  readonly isJson: (body: Buffer) => boolean
  readonly seconds: (timestamp: string) => number | undefined
  readonly isFresh: (sentAt: number, now: number) => boolean
  readonly isEventId: (text: string) => boolean
  readonly eventKey: (eventId: string) => string
  readonly key: (secret: string) => string | Buffer
  readonly input: (timestamp: string, eventId: string, body: Buffer) => Buffer
  readonly matches: (given: string, mac: Buffer) => boolean
  readonly isSignatureNeeded: boolean
  readonly missingStatus: number
  readonly mismatchStatus: number
  readonly duplicateStatus: number
  /** When the event is looked up and remembered. */
  readonly remembers: 'last' | 'before the signature' | 'never'
}

export const RIGHT: Steps = {
  mostBytes: 65_536,
  isMethod: (method) => method === 'POST',
  one: (values) => (values.length === 1 && values[0] !== '' ? values[0] : undefined),
  isType: (type) => /^application\/json(?:;\s*charset="?utf-8"?)?$/i.test(type),
  isEncoding: (encoding) => encoding === undefined,
  isJson(body) {
    try {
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
      return true
    } catch {
      return false
    }
  },
  seconds: (text) => (/^[1-9][0-9]{0,11}$/.test(text) ? Number(text) : undefined),
  isFresh: (sentAt, now) => Math.abs(now - sentAt) <= 300,
  isEventId: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text),
  eventKey: (id) => id.toLowerCase(),
  key: (secret) => secret,
  input: (timestamp, id, body) => Buffer.concat([Buffer.from(`${timestamp}.${id}.`), body]),
  matches(given, mac) {
    const expected = Buffer.from(mac.toString('base64url'))
    const seen = Buffer.from(given)
    return seen.length === expected.length && timingSafeEqual(seen, expected)
  },
  isSignatureNeeded: true,
  missingStatus: 401,
  mismatchStatus: 401,
  duplicateStatus: 409,
  remembers: 'last',
}

/** Starts such a receiver on this machine. */
export async function plainReceiver(secret: string, wrong: Partial<Steps> = {}): Promise<string> {
  const steps = { ...RIGHT, ...wrong }
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    response.writeHead(statusOf(steps, secret, seen, request, body)).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

function statusOf(
  steps: Steps,
  secret: string,
  seen: Set<string>,
  request: IncomingMessage,
  body: Buffer,
): number {
  const values = (name: string) =>
    request.rawHeaders.flatMap((value, index, all) =>
      index % 2 === 1 && all[index - 1]?.toLowerCase() === name ? value : [],
    )
  if (!steps.isMethod(request.method ?? '')) return 405
  if (body.length > steps.mostBytes) return 400
  const type = steps.one(values('content-type'))
  const timestamp = steps.one(values('webhook-timestamp'))
  const eventId = steps.one(values('webhook-event-id'))
  if (type === undefined || timestamp === undefined || eventId === undefined) return 400
  if (!steps.isType(type) || !steps.isEncoding(values('content-encoding')[0])) return 400
  if (!steps.isJson(body)) return 400
  const sentAt = steps.seconds(timestamp)
  if (sentAt === undefined || !steps.isFresh(sentAt, Math.floor(Date.now() / 1000))) return 400
  if (!steps.isEventId(eventId)) return 400
  const key = steps.eventKey(eventId)
  if (steps.remembers === 'before the signature' && isKnown(seen, key)) return steps.duplicateStatus
  const signatures = values('webhook-signature')
  if (signatures.length === 0 || signatures[0] === '') {
    if (steps.isSignatureNeeded) return steps.missingStatus
  } else {
    const given = steps.one(signatures)
    const mac = createHmac('sha256', steps.key(secret))
      .update(steps.input(timestamp, eventId, body))
      .digest()
    if (given === undefined || !steps.matches(given, mac)) return steps.mismatchStatus
  }
  return steps.remembers === 'last' && isKnown(seen, key) ? steps.duplicateStatus : 200
}

function isKnown(seen: Set<string>, key: string): boolean {
  return seen.size === seen.add(key).size
}
