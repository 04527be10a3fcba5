import { expect, it } from 'vitest'
import { DEMO_LISTENERS } from '../../src/demo/tenant.ts'
import { describeService } from '../support/databases.ts'

describeService('a known path with a wrong method', (subject) => {
  it.each([
    ['/api/v1/tasks', 'POST'],
    ['/api/v1/tasks/1', 'GET, HEAD'],
    ['/api/v1/tasks/1/actions', 'GET, HEAD'],
    ['/api/v1/tasks/1/action/skip-step', 'POST'],
    ['/api/v1/search/tasks', 'POST'],
    ['/api/v1/policies', 'GET, HEAD, POST'],
    ['/api/v1/policies/none', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/apps/none/entitlements', 'GET, HEAD, POST'],
    ['/api/v1/automations/none', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/listeners/none/secrets/none', 'DELETE'],
    ['/openapi.json', 'GET, HEAD'],
  ])('%s gets 405 with Allow: %s', async (path, allowed) => {
    const { status, headers, body } = await subject.ask('PUT', path, {})
    expect([status, headers.get('allow')]).toEqual([405, allowed])
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toEqual({
      status: 405,
      title: 'Method Not Allowed',
      code: 'method_not_allowed',
      detail: `This path allows ${allowed}.`,
    })
    for (const method of allowed.split(', ')) {
      const headers = { authorization: `Bearer ${subject.token}` }
      const reply = await subject.app.request(path, { method, headers })
      expect([method, reply.status]).not.toEqual([method, 405])
    }
  })

  it.each(['policies/builtin-grant', 'automations/none'])(
    'POST of %s, even with a mask, gets 405',
    async (one) => {
      const masked = {
        updateMask: 'displayName',
        policy: { displayName: 'x' },
        automation: { displayName: 'x' },
      }
      const { status, headers } = await subject.post(`/api/v1/${one}`, masked)
      expect([status, headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PATCH'])
    },
  )

  it.each([
    '/openapi.json',
    '/docs',
    '/docs/',
    '/docs/swagger-ui.css',
    '/healthz',
    '/readyz',
    '/',
    '/overview/latest',
    '/overview/overview.js',
  ])('%s, which is public, gets 405 even without a token', async (path) => {
    const { status, headers } = await subject.app.request(path, { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('an unknown file of /docs gets 404 even without a token', async () => {
    for (const method of ['GET', 'POST'])
      expect((await subject.app.request('/docs/nothing', { method })).status).toBe(404)
  })

  it.each(['GET', 'PUT', 'DELETE'])(
    'a listener, known or not, answers %s with 405 and Allow: POST',
    async (method) => {
      for (const id of [DEMO_LISTENERS.hmac, 'unknown']) {
        const { status, headers } = await subject.app.request(`/api/v1/webhooks/incoming/${id}`, { method })
        expect([status, headers.get('allow'), headers.get('content-type')]).toEqual([
          405,
          'POST',
          'application/problem+json',
        ])
      }
    },
  )

  it('a wrong method gets 401 without a token, and 404 if the path is unknown', async () => {
    expect((await subject.app.request('/api/v1/tasks', { method: 'PUT' })).status).toBe(401)
    for (const path of [
      '/api/v1/task',
      '/api/v1/tasks/1/',
      '/api/v1/tasks/1/action/skip-steps',
      '/overview',
    ]) {
      const { status, headers, body } = await subject.ask('PUT', path, {})
      expect([path, status, headers.get('allow'), body.code]).toEqual([path, 404, null, 'route_unknown'])
    }
  })
})
