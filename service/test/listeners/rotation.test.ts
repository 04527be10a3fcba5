import { signHmac } from 'hookgate/testing'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { demoToken } from '../../src/demo/tenant.ts'
import { rootOf } from '../../src/listeners/roots.ts'
import { seal } from '../../src/listeners/sealing.ts'
import { copyOfPostgres } from '../support/copies.ts'
import { Replica } from '../support/replica.ts'
import { SECRET } from '../support/subject.ts'

/** The first one sealed the database. */
const [B, C, D] = [SECRET, 'c'.repeat(40), 'd'.repeat(40)]
const AUTOMATION = {
  displayName: 'Rotated',
  steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
  trigger: { enabled: true, incomingWebhook: { hmac: {} } },
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('replicas whose root secret is rotated'), () => {
  /** Two replicas of one database, and what an operator does to them. */
  async function world() {
    const address = await copyOfPostgres(inject('postgresFolder'))
    const replica = () => {
      const made = new Replica(address)
      onTestFinished(() => made.end())
      return made
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

  async function newListener(service: Replica, token: string) {
    const asked = (path: string, body?: object) =>
      service.request(path, {
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

  async function deliver(service: Replica, { listenerId, secret }: Listener): Promise<number> {
    const request = await signHmac({ secret, body: '{}' })
    return (await service.request(`/api/v1/webhooks/incoming/${listenerId}`, request)).status
  }

  it('replicas lose no signing secret that the other one makes during the exchange', async () => {
    const { first, second, issued } = await world()
    await first.become(B)
    const token = await issued()
    await second.become(B)
    const listeners = [await newListener(first, token)]
    for (const each of [first, second]) await each.become(B, C)
    await first.become(C, B)
    listeners.push(await newListener(second, token), await newListener(first, token))
    for (const each of [first, second])
      for (const listener of listeners) expect(await deliver(each, listener)).toBe(200)
    await second.become(C, B)
    for (const each of [first, second]) await each.become(C)
    for (const each of [first, second])
      for (const listener of listeners) expect(await deliver(each, listener)).toBe(200)
  })

  it('replicas do not go back to the old secret when one that still has it restarts', async () => {
    const { first, second, issued } = await world()
    await first.become(B, C)
    const token = await issued()
    await second.become(B, C)
    await first.become(C, B)
    await first.become(C) // too early, by OPERATING.md
    expect(await second.become(B, C)).toContain('SERVICE_SECRET has been rotated')
    const listener = await newListener(second, token)
    for (const each of [first, second]) expect(await deliver(each, listener)).toBe(200)
    expect(await second.become(B)).toContain('another root secret')
  })

  it('a replica without the new secret seals nothing with the old one', async () => {
    const { first, second, issued } = await world()
    await first.become(B)
    const token = await issued()
    await second.become(B)
    await first.become(C, B)
    const reply = await second.request('/api/v1/automations', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(AUTOMATION),
    })
    expect([reply.status, JSON.parse(await reply.text()).code]).toStrictEqual([503, 'unavailable'])
    expect(second.printed).toContain('another root secret')
    await second.become(C, B)
    expect(await deliver(second, await newListener(second, token))).toBe(200)
  })

  it('a rotation continues at the next start if it is killed between its batches', async () => {
    const { first, second, issued, ask } = await world()
    await first.become(B)
    const token = await issued()
    const [listener, many] = [await newListener(first, token), await newListener(first, token)]
    const { key, fingerprint } = rootOf(B)
    const ids = Array.from({ length: 1_500 }, (_, number) => `more-${number}`)
    const sealed = ids.map((id) => seal(key, 's'.repeat(43), `${many.listenerId}/${id}`))
    await ask(
      `INSERT INTO listener_secrets (listener_id, id, sealed, root, created_at)
       SELECT $1, id, sealed, $2, now() FROM unnest($3::text[], $4::bytea[]) AS more (id, sealed)`,
      [many.listenerId, fingerprint, ids, sealed],
    )
    const left = async () => (await ask('SELECT DISTINCT root FROM listener_secrets')).length
    await first.end()
    expect(await second.become(C, B, 3)).toContain('it died')
    await second.end()
    expect(await left()).toBe(2)
    expect(await first.become(C)).toMatch(new RegExp(`listeners? .*${many.listenerId}.*Another root secret`))
    await first.become(C, B)
    expect(await left()).toBe(1)
    await first.become(C)
    expect(await deliver(first, listener)).toBe(200)
  })

  it('a start names the listener of a signing secret that it cannot open, and the others work', async () => {
    const { first, issued, ask } = await world()
    await first.become(B)
    const token = await issued()
    const [bad, good] = [await newListener(first, token), await newListener(first, token)]
    await ask(`UPDATE listener_secrets SET sealed = '\\x00' WHERE listener_id = '${bad.listenerId}'`)
    for (const [secret, other] of [[B], [B, C], [C, B], [C]]) {
      const printed = await first.become(secret ?? '', other)
      expect(printed).toContain(`1 signing secret cannot be opened: listener ${bad.listenerId}`)
      expect(await deliver(first, good)).toBe(200)
    }
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await deliver(first, bad)).toBe(503)
    const lines = first.printed.split('\n').filter((line) => line.includes(bad.listenerId))
    expect(lines).toHaveLength(3) // at the start, the secret, and the listener without any
    expect(first.printed).not.toMatch(/^ {4}at /m)
  })

  it('the demo token ends with the root secret that it was derived from', async () => {
    const { first } = await world()
    const valid = async (token: string) =>
      (await first.request('/api/v1/policies', { headers: { authorization: `Bearer ${token}` } })).status
    await first.become(B)
    expect(await valid(demoToken(B))).toBe(200)
    expect(await first.become(C, B)).toBe('')
    expect(await valid(demoToken(B))).toBe(401)
    expect(await valid(demoToken(C))).toBe(401)
  })

  it('a third secret is refused', async () => {
    const { first } = await world()
    await first.become(B)
    expect(await first.become(D, C)).toContain('another root secret')
  })
})
