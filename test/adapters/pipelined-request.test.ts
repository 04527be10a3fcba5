import { describe, expect, it } from 'vitest'
import { type Connection, PipelinedRequest } from '../../adapters/kit/pipelined-request.ts'

/** A response whose connection still belongs to an earlier one. */
const QUEUED = { socket: null }
const FIRST = { socket: {} }

/** That many requests on one connection. All arrive before the first is decided. */
function line(count: number): PipelinedRequest[] {
  const connection: Connection = {}
  return Array.from(
    { length: count },
    (_, index) => new PipelinedRequest(connection, index === 0 ? FIRST : QUEUED),
  )
}

/** What a promise has settled to, or `undecided`. */
async function nowOf(value: unknown): Promise<unknown> {
  return Promise.race([value, new Promise((resolve) => setImmediate(resolve, 'undecided'))])
}

describe('the turn of a request on its connection', () => {
  it('the turn comes at once if no other request is on it', () => {
    expect(line(1)[0]?.isCutOff).toBe(false)
  })

  it('the turn comes when the previous one is decided and leaves the connection open', () => {
    const connection: Connection = {}
    new PipelinedRequest(connection, FIRST).end(false)
    expect(new PipelinedRequest(connection, QUEUED).isCutOff).toBe(false)
  })

  it('the turn comes when the previous one is answered, whatever its outcome', () => {
    const connection: Connection = {}
    new PipelinedRequest(connection, FIRST)
    expect(new PipelinedRequest(connection, FIRST).isCutOff).toBe(false)
  })

  it('the turn never comes after a reply that closes the connection, not even before that is written', () => {
    const connection: Connection = {}
    new PipelinedRequest(connection, FIRST).end(true)
    expect(new PipelinedRequest(connection, QUEUED).isCutOff).toBe(true)
  })

  it('the turn never comes on a connection that is closed for writing, by either side', () => {
    expect(new PipelinedRequest({ writableEnded: true }, FIRST).isCutOff).toBe(true)
  })

  it.each([true, false])(
    'the turn waits for the previous one, whose reply closes the connection: %s',
    async (closes) => {
      const [first, second] = line(2)
      expect(await nowOf(second?.isCutOff)).toBe('undecided')
      first?.end(closes)
      expect(await nowOf(second?.isCutOff)).toBe(closes)
    },
  )

  it('the turn waits only for the previous request, not for earlier ones', async () => {
    const [first, second, third] = line(3)
    first?.end(false)
    expect(await nowOf(third?.isCutOff)).toBe('undecided')
    second?.end(true)
    expect(await nowOf(third?.isCutOff)).toBe(true)
  })

  it('the turn can be awaited by 16 requests of a connection, and never comes for the 17th', async () => {
    const turns = line(18)
    expect(await nowOf(turns[16]?.isCutOff)).toBe('undecided')
    expect(turns[17]?.isCutOff).toBe(true)
  })

  it('the turn comes for each request of a sender that always pipelines', async () => {
    const connection: Connection = {}
    const ahead = [new PipelinedRequest(connection, FIRST)]
    for (let count = 0; count < 100; count += 1) {
      while (ahead.length < 10) ahead.push(new PipelinedRequest(connection, QUEUED))
      const first = ahead.shift()
      expect(await first?.isCutOff).toBe(false)
      first?.end(false)
    }
  })
})
