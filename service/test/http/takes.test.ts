import { expect, it } from 'vitest'
import type { Role } from '../../src/http/bearer.ts'
import { describeService } from '../support/databases.ts'

const NO_JSON = '{"nonsense":'
const LARGE = JSON.stringify({ displayName: 'x'.repeat(262_144) })

describeService('a request', (subject) => {
  it.each<[string, string, Role]>([
    ['POST', '/api/v1/tasks', 'viewer'],
    ['POST', '/api/v1/tasks/1/action/skip-step', 'viewer'],
    ['POST', '/api/v1/tasks/1/action/approve', 'viewer'],
    ['POST', '/api/v1/tasks/1/action/close', 'viewer'],
    ['POST', '/api/v1/policies', 'operator'],
    ['PATCH', '/api/v1/policies/builtin-grant', 'operator'],
    ['POST', '/api/v1/automations', 'operator'],
    ['POST', '/api/v1/search/automations', 'operator'],
    ['PATCH', '/api/v1/automations/none', 'operator'],
    ['GET', '/api/v1/automations?page_size=x', 'operator'],
    ['GET', '/api/v1/automations/none/runs?page_size=x', 'operator'],
    ['GET', '/api/v1/automations/none/records?page_size=x', 'operator'],
  ])('%s %s is authenticated and authorised before it is validated', async (...asked) => {
    const [method, path, role] = asked
    const token = await subject.tokenWith(role)
    for (const body of method === 'GET' ? [undefined] : ['{"nonsense":1}', NO_JSON, LARGE]) {
      const nobody = await subject.ask(method, path, body, 'svc_nobody')
      expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthorized'])
      const without = await subject.ask(method, path, body, token)
      expect([without.status, without.body.code, without.body.errors]).toEqual([403, 'forbidden', undefined])
      const own = await subject.ask(method, path, body)
      expect(own.status).toBe(body === LARGE ? 413 : 400)
    }
  })

  it.each([
    ['/form/fields/0/name', { form: { id: '', displayName: '', description: '', fields: [{ name: 5 }] } }],
    ['/expandMask/paths/0', { expandMask: { paths: [5] } }],
    ['/expandMask', { expandMask: 5 }],
    ['/type/grant/appId', { type: { grant: { appEntitlementId: 'entitlement-01' } } }],
  ])('a problem points to the invalid field, also inside nullable objects: %s', async (pointer, wrong) => {
    const { body } = await subject.post('/api/v1/tasks', { ...wrong })
    expect(body.code).toBe('request_invalid')
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  it.each(['tasks', 'policies'])(
    'a search for %s is refused over 262,144 bytes, whatever the role',
    async (what) => {
      const [path, token] = [`/api/v1/search/${what}`, await subject.tokenWith('viewer')]
      const padded = (bytes: number) => `{}${' '.repeat(bytes - 2)}`
      expect((await subject.post(path, padded(262_144), token)).status).toBe(200)
      const { status, headers, body } = await subject.post(path, padded(262_145), token)
      expect([status, headers.get('connection'), body.code]).toEqual([413, 'close', 'body_too_large'])
    },
  )
})
