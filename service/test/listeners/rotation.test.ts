import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signHmac } from 'hookgate/testing'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { demoToken } from '../../src/demo/tenant.ts'
import { rootOf } from '../../src/listeners/roots.ts'
import { seal } from '../../src/listeners/sealing.ts'
import { newDatabase, urlOf } from '../support/copies.ts'
import { ServiceProcess } from './service-process.ts'

const [B, C, D] = ['b', 'c', 'd'].map((letter) => letter.repeat(40)) as [string, string, string]
const AUTOMATION = {
  displayName: 'Rotated',
  steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
  trigger: { enabled: true, incomingWebhook: { hmac: {} } },
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('replicas whose root secret is rotated'), () => {
  /** Two replicas of one new database, and what an operator does to them. */
  async function world() {
    const address = await newDatabase(inject('postgresFolder'))
    const folder = mkdtempSync(join(tmpdir(), 'hookgate-rotation-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const replica = () => {
      const service = new ServiceProcess({
        SERVICE_DATA: folder,
        SERVICE_DATABASE_URL: urlOf(address),
        SERVICE_SEED: 'on',
      })
      onTestFinished(() => service.kill('SIGTERM'))
      return service
    }
    async function ask<Row>(statement: string, params?: unknown[]): Promise<Row[]> {
      const database = openPostgres(address, () => {})
      return database.query<Row>(statement, params).finally(() => database.close())
    }
    const issued = async () => {
      const token = `svc_operator_${'s'.repeat(43)}`
      await ask(`INSERT INTO access_tokens (id, secret_hash, user_id, roles)
        VALUES ('operator', sha256('${'s'.repeat(43)}'), 'user-ada', '{super_admin}')`)
      return token
    }
    return { first: replica(), second: replica(), ask, issued }
  }

  /** Ends a replica and starts it with these secrets. Says what it printed if it refuses. */
  async function become(service: ServiceProcess, secret: string, other?: string): Promise<string> {
    await service.kill('SIGTERM')
    const settings = { SERVICE_SECRET: secret, ...(other !== undefined && { SERVICE_OTHER_SECRET: other }) }
    return service.start(settings).then(() => service.printed, String)
  }

  async function newListener(service: ServiceProcess, token: string) {
    const asked = (path: string, body?: object) =>
      fetch(`${service.origin}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const reply = await asked('/api/v1/automations', AUTOMATION)
    const { automation, signingSecret } = JSON.parse(await reply.text())
    await asked(`/api/v1/automations/${automation.id}/action/publish`)
    const { listenerId } = automation.trigger.incomingWebhook
    return { listenerId, secret: signingSecret.secret }
  }
  type Listener = Awaited<ReturnType<typeof newListener>>

  async function deliver(service: ServiceProcess, { listenerId, secret }: Listener): Promise<number> {
    const request = await signHmac({ secret, body: '{}' })
    return (await fetch(`${service.origin}/api/v1/webhooks/incoming/${listenerId}`, request)).status
  }

  it('replicas lose no signing secret that the other one makes during the exchange', async () => {
    const { first, second, issued } = await world()
    await become(first, B)
    const token = await issued()
    await become(second, B)
    const listeners = [await newListener(first, token)]
    for (const each of [first, second]) await become(each, B, C)
    await become(first, C, B)
    listeners.push(await newListener(second, token), await newListener(first, token))
    for (const each of [first, second])
      for (const listener of listeners) expect(await deliver(each, listener)).toBe(200)
    await become(second, C, B)
    for (const each of [first, second]) await become(each, C)
    for (const each of [first, second])
      for (const listener of listeners) expect(await deliver(each, listener)).toBe(200)
  }, 120_000)

  it('replicas do not go back to the old secret when one that still has it restarts', async () => {
    const { first, second, issued } = await world()
    await become(first, B, C)
    const token = await issued()
    await become(second, B, C)
    await become(first, C, B)
    await become(first, C) // too early, by OPERATING.md
    expect(await become(second, B, C)).toContain('SERVICE_SECRET has been rotated')
    const listener = await newListener(second, token)
    for (const each of [first, second]) expect(await deliver(each, listener)).toBe(200)
    expect(await become(second, B)).toContain('another root secret')
  }, 120_000)

  it('a replica without the new secret seals nothing with the old one', async () => {
    const { first, second, issued } = await world()
    await become(first, B)
    const token = await issued()
    await become(second, B)
    await become(first, C, B)
    const reply = await fetch(`${second.origin}/api/v1/automations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(AUTOMATION),
    })
    expect([reply.status, JSON.parse(await reply.text()).code]).toStrictEqual([503, 'unavailable'])
    expect(second.printed).toContain('another root secret')
    await become(second, C, B)
    expect(await deliver(second, await newListener(second, token))).toBe(200)
  }, 120_000)

  it('a rotation continues at the next start if it is killed between its batches', async () => {
    const { first, second, issued, ask } = await world()
    await become(first, B)
    const token = await issued()
    const [listener, many] = [await newListener(first, token), await newListener(first, token)]
    const { key, fingerprint } = rootOf(B)
    const ids = Array.from({ length: 5_000 }, (_, number) => `more-${number}`)
    const sealed = ids.map((id) => seal(key, 's'.repeat(43), `${many.listenerId}/${id}`))
    await ask(
      `INSERT INTO listener_secrets (listener_id, id, sealed, root, created_at)
       SELECT $1, id, sealed, $2, now() FROM unnest($3::text[], $4::bytea[]) AS more (id, sealed)`,
      [many.listenerId, fingerprint, ids, sealed],
    )
    const left = async () => (await ask('SELECT DISTINCT root FROM listener_secrets')).length
    await first.kill()
    const starting = become(second, C, B)
    while ((await left()) === 1);
    await second.kill()
    await starting
    expect(await left()).toBe(2)
    expect(await become(first, C)).toMatch(new RegExp(`listeners? .*${many.listenerId}.*Another root secret`))
    await become(first, C, B)
    expect(await left()).toBe(1)
    await become(first, C)
    expect(await deliver(first, listener)).toBe(200)
  }, 120_000)

  it('a start names the listener of a signing secret that it cannot open, and the others work', async () => {
    const { first, issued, ask } = await world()
    await become(first, B)
    const token = await issued()
    const [bad, good] = [await newListener(first, token), await newListener(first, token)]
    await ask(`UPDATE listener_secrets SET sealed = '\\x00' WHERE listener_id = '${bad.listenerId}'`)
    for (const [secret, other] of [[B], [B, C], [C, B], [C]]) {
      const printed = await become(first, secret ?? '', other)
      expect(printed).toContain(`1 signing secret cannot be opened: listener ${bad.listenerId}`)
      expect(await deliver(first, good)).toBe(200)
    }
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await deliver(first, bad)).toBe(503)
    const lines = first.printed.split('\n').filter((line) => line.includes(bad.listenerId))
    expect(lines).toHaveLength(3) // at the start, the secret, and the listener without any
    expect(first.printed).not.toMatch(/^ {4}at /m)
  }, 120_000)

  it('the demo token ends with the root secret that it was derived from', async () => {
    const { first } = await world()
    const valid = async (token: string) =>
      (await fetch(`${first.origin}/api/v1/policies`, { headers: { authorization: `Bearer ${token}` } }))
        .status
    await become(first, B)
    expect(await valid(demoToken(B))).toBe(200)
    expect(await become(first, C, B)).toContain('No demo token is valid here')
    expect(await valid(demoToken(B))).toBe(401)
    expect(await valid(demoToken(C))).toBe(401)
  }, 120_000)

  it('a third secret is refused', async () => {
    const { first } = await world()
    await become(first, B)
    expect(await become(first, D, C)).toContain('another root secret')
  }, 120_000)
})
