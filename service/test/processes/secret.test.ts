import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signHmac } from 'hookgate/testing'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { DEMO_LISTENERS, demoSigningSecret, demoToken } from '../../src/demo/tenant.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { Replica } from '../support/replica.ts'
import { SECRET as FIRST } from '../support/subject.ts'
import { ServiceProcess } from './service-process.ts'

/** The statements for an operator whose root secret is lost. */
const RECOVERY =
  readFileSync(new URL('../../OPERATING.md', import.meta.url), 'utf8').match(/^DELETE FROM .+;$/gm) ?? []
const SECOND = 'the second root secret, of 41 characters.'
const THIRD = 'the third root secret, of 40 characters.'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a service on a database that has a root secret'), () => {
  let address: Awaited<ReturnType<typeof copyOfPostgres>>
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-secret-'))
  beforeAll(async () => {
    address = await copyOfPostgres(inject('postgresFolder'))
    return () => rmSync(folder, { recursive: true })
  }, 60_000)

  const newService = (settings: Record<string, string>) =>
    new ServiceProcess({ SERVICE_DATA: folder, SERVICE_DATABASE_URL: urlOf(address), ...settings })

  /** The output instead of a start. */
  async function refusal(settings: Record<string, string>): Promise<string> {
    const service = newService(settings)
    onTestFinished(() => service.kill())
    return service.start().then(() => 'it started', String)
  }

  /** What an operator would do with psql. */
  async function ask(...statements: string[]): Promise<void> {
    const database = openPostgres(address, () => {})
    for (const statement of statements) await database.query(statement)
    await database.close()
  }

  async function deliver(service: ServiceProcess, secret: string): Promise<number> {
    const request = await signHmac({ secret, body: '{"task":1,"approved by":"ada"}' })
    const path = `/api/v1/webhooks/incoming/${DEMO_LISTENERS.hmac}`
    return (await fetch(`${service.origin}${path}`, request)).status
  }

  it('the service refuses to start with another root secret, and names the fix', async () => {
    const answer = await refusal({ SERVICE_SECRET: SECOND })
    expect(answer).toMatch(/^Error: the service ended \(1\): This database .* another root secret.*\n$/)
    expect(answer).toMatch(
      /Set SERVICE_SECRET to the old one, or restore the file `secret` in the data folder/,
    )
  }, 60_000)

  it('the service refuses to start with a secret regenerated after its file was lost', async () => {
    expect(await refusal({})).toContain('another root secret')
    await rm(join(folder, 'secret'))
  }, 60_000)

  it('the service refuses another secret even if the database predates fingerprints, and accepts the old one', async () => {
    await ask('DELETE FROM root_secret')
    const replica = new Replica(address)
    onTestFinished(() => replica.end())
    expect(await replica.become(SECOND)).toContain('another root secret')
    expect(await replica.become(FIRST)).toBe('')
    expect(await replica.become(SECOND)).toContain('another root secret')
  }, 60_000)

  it('the service seals again with a new secret, given the old one too, and no sender notices', async () => {
    const [other] = [newService({ SERVICE_SECRET: SECOND, SERVICE_OTHER_SECRET: FIRST })]
    onTestFinished(() => other.kill('SIGTERM'))
    await other.start()
    expect(await deliver(other, demoSigningSecret(FIRST))).toBe(200)
    await other.kill('SIGTERM')
    expect(await refusal({ SERVICE_SECRET: FIRST })).toContain('another root secret')
    const service = await startedWith(SECOND)
    expect(await deliver(service, demoSigningSecret(FIRST))).toBe(200)
  }, 120_000)

  it('the service starts with a new secret after the recovery steps of OPERATING.md, and ends the demo token of the old one', async () => {
    const issued = `svc_operator_${'s'.repeat(43)}`
    await ask(
      ...RECOVERY,
      `INSERT INTO access_tokens (id, secret_hash, user_id, roles)
       VALUES ('operator', sha256('${'s'.repeat(43)}'), 'user-ada', '{super_admin}')`,
    )
    const service = await startedWith(THIRD)
    expect(service.printed).toContain('No demo token is valid here')
    expect(await deliver(service, demoSigningSecret(FIRST))).toBe(503)
    expect(service.printed).toContain(`listener ${DEMO_LISTENERS.hmac} has lost its signing secrets`)
    const rotate = (token: string) =>
      fetch(`${service.origin}/api/v1/listeners/${DEMO_LISTENERS.hmac}/action/rotate-secret`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
    for (const secret of [FIRST, SECOND, THIRD]) expect((await rotate(demoToken(secret))).status).toBe(401)
    const rotated = await rotate(issued)
    const { signingSecret }: { signingSecret: { secret: string } } = JSON.parse(await rotated.text())
    expect(await deliver(service, demoSigningSecret(FIRST))).toBe(401)
    expect(await deliver(service, signingSecret.secret)).toBe(200)
  }, 60_000)

  async function startedWith(secret: string): Promise<ServiceProcess> {
    const service = newService({ SERVICE_SECRET: secret })
    onTestFinished(() => service.kill('SIGTERM'))
    await service.start()
    return service
  }
})
