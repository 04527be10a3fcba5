import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { query } from 'jsonpath-rfc9535'
import { expect, it } from 'vitest'
import { seedFileSchema } from '../../src/directory/schema.ts'
import { importSeedFile } from '../../src/directory/seed-file.ts'
import { describeService } from '../support/databases.ts'

const DIRECTORY = {
  users: [{ id: 'user-kay', displayName: 'Kay', email: 'kay@example.com' }],
  apps: [{ id: 'app-travel', displayName: 'Travel' }],
  entitlements: [{ id: 'travel-book', appId: 'app-travel', displayName: 'Books travel' }],
  appUsers: [{ id: 'kay-1', appId: 'app-travel', displayName: 'kay', identityUserId: 'user-kay' }],
  accessReviews: [{ id: 'review-travel', any: { thing: 1 } }],
  insights: [{ id: 'insight-travel' }],
  appResources: [
    { id: 'travel-principal', '@type': 'a lie' },
    { id: 'travel-role', appId: 'app-travel' },
    { id: 'travel-scope', any: { thing: 2 } },
  ],
  entitlementScopeBindings: [{ id: 'travel-book', list: [{ scopeResourceId: 'travel-scope' }] }],
}

describeService('the directory', (subject) => {
  const code = async (path: string, body: object | string, token?: string) => {
    const reply = await subject.post(`/api/v1/${path}`, body, token)
    return `${reply.status} ${reply.body.code ?? 'done'}`
  }
  const target = { appId: 'app-travel', appEntitlementId: 'travel-book', appUserId: 'kay-1' }
  const certify = { certify: { ...target, accessReviewId: 'review-travel' } }

  it('the directory imports the objects that grant, revoke and certify tasks need, in one request', async () => {
    expect(await code('tasks', { type: certify })).toBe('400 reference_unknown')
    expect(await code('import', DIRECTORY)).toBe('200 done')
    const made = await subject.post('/api/v1/tasks', {
      ...{ type: certify, insightIds: ['insight-travel'], expandMask: { paths: ['*'] } },
    })
    expect(made.body.taskView.task.userId).toBe('user-kay')
    expect(JSON.stringify(made.body.expanded)).toContain('"any":{"thing":1}')
    for (const kind of ['grant', 'revoke'])
      expect(await code('tasks', { type: { [kind]: target } })).toBe('200 done')
  })

  it('the directory imports app resources and scope bindings, to which the paths of tasks lead', async () => {
    const located = async (type: object, policyId?: string) => {
      const asked = { type, policyId, expandMask: { paths: ['*'] } }
      const { body } = await subject.post('/api/v1/tasks', asked)
      const at = (path: string) => query(body, path).map((found) => JSON.parse(JSON.stringify(found)))
      const { principalResourcePath, resourceBindingsPath, roleResourcePath, scopeResourcePath } =
        body.taskView
      return {
        principal: at(principalResourcePath || '$.none'),
        bindings: at(resourceBindingsPath || '$.none'),
        role: at(roleResourcePath || '$.none'),
        scope: at(scopeResourcePath || '$.none'),
      }
    }
    const [principal, role, scope] = DIRECTORY.appResources.map((each) => ({
      ...each,
      '@type': 'type.googleapis.com/svc.api.app.v1.AppResource',
    }))
    const bindings = {
      ...DIRECTORY.entitlementScopeBindings[0],
      '@type': 'type.googleapis.com/svc.api.app.v1.EntitlementScopeBindingList',
    }
    const nothing = { principal: [], bindings: [], role: [], scope: [] }
    const resource = { id: 'travel-principal' }
    const reviewed = { certify: { ...certify.certify, resource } }
    expect(await located(reviewed)).toEqual({ ...nothing, principal: [principal], bindings: [bindings] })
    expect(await located({ grant: target })).toEqual({ ...nothing, bindings: [bindings] })
    const scopeRole = { roleResourceId: 'travel-role', scopeResourceId: 'travel-scope' }
    const ofAction = { action: { scopeRole } }
    const policyId = 'policy-grant-three-steps'
    expect(await located(ofAction, policyId)).toEqual({ ...nothing, role: [role], scope: [scope] })

    const unknown = { roleResourceId: 'none', scopeResourceId: { not: 'a string' } }
    expect(await located({ action: { scopeRole: unknown } }, policyId)).toEqual(nothing)
    const change = { appResources: [{ id: 'travel-role', changed: true }] }
    expect(await code('import', change)).toBe('200 done')
    const changed = { ...change.appResources[0], '@type': role?.['@type'] }
    expect(await located(ofAction, policyId)).toEqual({ ...nothing, role: [changed], scope: [scope] })
  })

  it('the directory refuses scope bindings of an unknown entitlement, and imports those of one beside them', async () => {
    const bind = (id: string) => ({ entitlementScopeBindings: [{ id, list: [] }] })
    const unknown = await subject.post('/api/v1/import', bind('none'))
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      'entitlementScopeBindings: id none names nothing.',
    ])
    const entitlements = [{ id: 'travel-new', appId: 'app-payroll', displayName: 'New' }]
    expect(await code('import', { ...bind('travel-new'), entitlements })).toBe('200 done')
    const twice = { entitlementScopeBindings: [{ id: 'travel-new' }, { id: 'travel-new' }] }
    expect(await code('import', twice)).toBe('400 request_invalid')
  })

  it('the directory keeps every member of an app resource, and refuses what it cannot keep', async () => {
    const imported = (text: string) => code('import', `{"appResources":[{"id":"kept",${text}}]}`)
    const frame = JSON.stringify({ id: 'kept', text: '' }).length
    expect(await imported(`"text":"${'x'.repeat(16_384 - frame)}"`)).toBe('200 done')
    expect(await imported(`"text":"${'x'.repeat(16_385 - frame)}"`)).toBe('400 request_invalid')
    for (const wrong of ['"n":1e400', '"n":"\\ud800"', '"n":"\\u0000"', '"id":7', '"id":""'])
      expect([wrong, (await imported(wrong)).slice(0, 3)]).toEqual([wrong, '400'])
    expect(await imported('"__proto__":{"a":1},"constructor":2')).toBe('200 done')
    const resource = { id: 'kept' }
    const asked = { type: { certify: { ...certify.certify, resource } }, expandMask: { paths: ['resource'] } }
    const { body } = await subject.post('/api/v1/tasks', asked)
    expect(JSON.stringify(body.expanded)).toContain('"__proto__":{"a":1}')
  })

  it('the directory updates objects imported again, and never moves them to another app', async () => {
    const change = { entitlements: [{ ...DIRECTORY.entitlements[0], displayName: 'Renamed' }] }
    expect(await code('import', { ...DIRECTORY, ...change })).toBe('200 done')
    const { list } = (await subject.get('/api/v1/apps/app-travel/entitlements')).body
    expect(list.map(({ appEntitlement }) => appEntitlement.displayName)).toEqual(['Renamed'])
    const moved = { entitlements: [{ ...DIRECTORY.entitlements[0], appId: 'app-payroll' }] }
    expect(await code('import', moved)).toBe('409 id_taken')
  })

  it('the directory imports everything or nothing', async () => {
    const apps = [{ id: 'app-lost', displayName: 'Lost' }]
    const entitlements = [{ id: 'lost', appId: 'none', displayName: 'Lost' }]
    expect(await code('import', { apps, entitlements })).toBe('400 reference_unknown')
    expect((await subject.get('/api/v1/apps/app-lost/entitlements')).body.code).toBe('app_unknown')
    for (const wrong of [{ apps: [apps[0], apps[0]] }, { apps: [{ id: 'x' }] }, { tasks: [] }])
      expect(await code('import', wrong)).toBe('400 request_invalid')
  })

  it('the directory creates each single object once', async () => {
    expect(await code('users', { id: 'user-jo', displayName: 'Jo' })).toBe('200 done')
    expect(await code('apps', { id: 'app-mail', displayName: 'Mail' })).toBe('200 done')
    expect(await code('apps', { id: 'app-mail', displayName: 'Mail' })).toBe('409 id_taken')
    expect(await code('apps/app-mail/entitlements', { id: 'mail-read', displayName: 'Reads' })).toBe(
      '200 done',
    )
    expect(await code('apps/none/entitlements', { displayName: 'Reads' })).toBe('400 reference_unknown')
    const account = { id: 'jo-1', displayName: 'jo', identityUserId: 'user-jo' }
    expect(await code('apps/app-mail/app_users', account)).toBe('200 done')
    expect(await code('access_reviews', { id: 'review-mail' })).toBe('200 done')
    expect(await code('insights', { id: 'insight-mail', '@type': 'kept' })).toBe('200 done')
  })

  it('the directory refuses an object that is too large, or too deep to be written', async () => {
    expect(await code('insights', { id: 'i', text: 'x'.repeat(16_384) })).toBe('400 request_invalid')
    const deep = `{"id":"i","any":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect((await subject.post('/api/v1/insights', deep)).body.code).toBe('request_invalid')
  })

  it('the directory accepts a last use with any ISO 8601 offset or null, and shows it in UTC', async () => {
    const lastUse = async (lastUsedAt: unknown) => {
      const account = { displayName: 'x', lastUsedAt }
      const { body } = await subject.post('/api/v1/apps/app-payroll/app_users', account)
      if (body.code) return body.code
      const grant = {
        ...{ appId: 'app-payroll', appEntitlementId: 'entitlement-01' },
        appUserId: body.appUser.id,
      }
      const task = { type: { grant }, expandMask: { paths: ['app_user_last_usage'] } }
      const { expanded } = (await subject.post('/api/v1/tasks', task)).body
      expect(expanded[0]?.value ?? null).toBe(body.appUser.lastUsedAt)
      return body.appUser.lastUsedAt
    }
    for (const [given, shown] of [
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02T03:04:05.123456+00:00', '2026-01-02T03:04:05.123Z'],
      ['2026-01-02T03:04:05-05:30', '2026-01-02T08:34:05.000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['0001-01-01T00:00:00+00:01', 'request_invalid'],
      ['0000-01-01T00:00:00Z', 'request_invalid'],
      ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
      ['9999-12-31T23:59:59-00:01', 'request_invalid'],
      ['2026-01-02T03:04:05', 'request_invalid'],
      ['yesterday', 'request_invalid'],
      [null, null],
    ])
      expect([given, await lastUse(given)]).toEqual([given, shown])
  })

  it('the directory lets one of several racing creations win', async () => {
    for (let round = 0; round < 20; round += 1) {
      const raced = Array.from({ length: 8 }, () => code('apps', { id: `app-${round}`, displayName: 'x' }))
      expect((await Promise.all(raced)).toSorted()).toEqual(['200 done', ...Array(7).fill('409 id_taken')])
    }
  })

  it('the directory requires the role super_admin', async () => {
    const token = await subject.tokenWith('operator')
    for (const path of ['import', 'users', 'apps', 'apps/app-payroll/entitlements', 'insights'])
      expect([path, await code(path, {}, token)]).toEqual([path, '403 forbidden'])
  })

  it('the directory imports a file, and reports each of its mistakes in one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookgate-seed-'))
    const path = join(folder, 'seed.json')
    const from = async (text: string) => {
      await writeFile(path, text)
      return importSeedFile(subject.dependencies, path).then(
        () => 'imported',
        (error: Error) => error.message,
      )
    }
    const file = { $schema: './seed.schema.json', apps: [{ id: 'app-file', displayName: 'File' }] }
    expect([await from(JSON.stringify(file)), await from(JSON.stringify(file))]).toEqual([
      'imported',
      'imported',
    ])
    expect((await subject.get('/api/v1/apps/app-file/entitlements')).status).toBe(200)
    expect(await from('{')).toContain('is not JSON')
    expect(await from('{"apps":[{"id":7}]}')).toMatch(/is invalid\.\n.*\n.*apps/)
    await rm(folder, { recursive: true })
    expect(await importSeedFile(subject.dependencies, path).catch((error: Error) => error.message)).toContain(
      'ENOENT',
    )
  })
})

it('the seed file’s type matches the JSON Schema in the repository (vitest -u rewrites it)', async () => {
  const text = `${JSON.stringify(seedFileSchema(), null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../seed.schema.json')
})
