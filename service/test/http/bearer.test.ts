import { expect, it } from 'vitest'
import { demoToken } from '../../src/demo/tenant.ts'
import { hashOf } from '../../src/http/bearer.ts'
import { describeService } from '../support/databases.ts'

const PATH = '/api/v1/apps/app-payroll/entitlements'
const SECRET = 's'.repeat(43)

describeService('bearer tokens', (subject) => {
  const insert = (id: string, expires: Date | null, revoked: Date | null) =>
    subject.database.query(
      `INSERT INTO access_tokens (id, secret_hash, user_id, roles, expires_at, revoked_at)
       VALUES ($1, $2, 'user-ada', '{viewer}', $3, $4)`,
      [id, hashOf(SECRET), expires, revoked],
    )
  const statusWith = async (token: string) => (await subject.get(PATH, token)).status

  it('bearer tokens are required everywhere but on the reference pages, even on unknown routes', async () => {
    const paths = ['/overview', PATH, '/api/v1/none', '/api/v1/tasks/1', '/api/v1/policies', '/openapi.yaml']
    for (const path of paths) {
      const reply = await subject.app.request(path)
      expect([path, reply.status]).toEqual([path, 401])
      expect(reply.headers.get('content-type')).toBe('application/problem+json')
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
      expect(await reply.json()).toMatchObject({ status: 401, title: 'Unauthorized', code: 'unauthorized' })
    }
    for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui.css']) {
      expect([path, (await subject.app.request(path)).status]).toEqual([path, 200])
    }
    const { status, headers } = await subject.app.request('/docs/')
    expect([status, headers.get('location')]).toEqual([301, '/docs'])
  })

  it('bearer tokens are refused unless they match exactly', async () => {
    const token = subject.token
    const other = token.endsWith('A') ? 'B' : 'A'
    const wrong = [
      `${token.slice(0, -1)}${other}`,
      token.slice(0, -1),
      `${token}A`,
      token.replace('demo', 'nobody'),
      token.replace('svc_', ''),
      demoToken('another secret'),
      'x',
    ]
    for (const each of wrong) expect([each, await statusWith(each)]).toEqual([each, 401])
    expect(await statusWith(token)).toBe(200)
  })

  it('bearer tokens are refused under another scheme', async () => {
    const authorization = `Basic ${subject.token}`
    expect((await subject.app.request(PATH, { headers: { authorization } })).status).toBe(401)
  })

  it('bearer tokens expire to the millisecond', async () => {
    await insert('brief', new Date(subject.clock.now() + 1_000), null)
    subject.clock.advance(999)
    expect(await statusWith(`svc_brief_${SECRET}`)).toBe(200)
    subject.clock.advance(1)
    expect(await statusWith(`svc_brief_${SECRET}`)).toBe(401)
  })

  it('bearer tokens are refused once revoked', async () => {
    await insert('gone', null, new Date())
    expect(await statusWith(`svc_gone_${SECRET}`)).toBe(401)
  })

  it('bearer tokens are not readable in the database', async () => {
    const rows = await subject.database.query('SELECT * FROM access_tokens')
    const secret = subject.token.split('_').slice(2).join('_')
    const hexOfSecret = Buffer.from(secret).toString('hex')
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toContain(hexOfSecret)
  })
})
