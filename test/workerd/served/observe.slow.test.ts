import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { github } from '../../../src/schemes/github.ts'
import { signAs } from '../../../src/testing/index.ts'
import { Log } from '../../support/log.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { startWorkerd, type WorkerdServer } from './workerd-server.ts'

const BODY = '{"ref":"refs/heads/main"}'

/** What the Worker tells of its verdicts, and where. */
async function verdicts() {
  const told = new Log<string>()
  const server = createServer(async (request, response) => {
    told.add(await text(request))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return { told, url: `http://127.0.0.1:${port}` }
}

async function delivery(body: string, sent = body): Promise<RequestInit> {
  const { headers } = await signAs(github, { secret: 'the-secret-of-the-webhook', body, eventType: 'push' })
  return { method: 'POST', headers, body: sent }
}

describe.skipIf(WHY_NO_WORKERD)(inWorkerd('observeWebhook in a Worker, with waitUntil'), () => {
  let folder: string
  let workerd: WorkerdServer
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookgate-workerd-'))
    workerd = await startWorkerd(folder)
  }, 60_000)
  afterAll(async () => {
    await workerd.kill()
    await rm(folder, { recursive: true })
  })

  it.each(['web', 'hono'])('no answer changes, and each verdict is reported (%s)', async (adapter) => {
    const { told, url } = await verdicts()
    const answerOf = async (query: string, init: RequestInit) => {
      const response = await fetch(`${workerd.url}/observed?tell=${url}&${query}`, init)
      return `${response.status} ${await response.text()}`
    }
    const rows = [
      [await delivery(BODY), 'accepted'],
      [await delivery(BODY, '{"ref":"refs/heads/evil"}'), 'signature_mismatch'],
      [await delivery(JSON.stringify('x'.repeat(3_000_000))), 'body_too_large'],
    ] as const
    for (const [index, [init, verdict]] of rows.entries()) {
      const answer = await answerOf(adapter, init)
      expect(answer).toBe(`202 ${init.body}`)
      expect(answer).toBe(await answerOf('alone', init))
      await told.reaches(index + 1)
      expect(told.entries[index]).toBe(`${verdict}, enforced: false`)
    }
    expect(told.entries).toHaveLength(rows.length)
  })
})
