import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Queryable } from '../../src/database/database.ts'
import { describeService } from '../support/databases.ts'
import { replyOf } from '../support/reply.ts'

describeService('a list', (subject) => {
  it.each(['page_size', 'page_token'])('a list takes null as an absent %s', async (name) => {
    for (const path of ['/api/v1/search/tasks', '/api/v1/search/policies', '/api/v1/search/automations']) {
      const absent = await subject.post(path, {})
      expect(absent.status).toBe(200)
      expect(await subject.post(path, { [name]: null })).toMatchObject({ status: 200, body: absent.body })
    }
  })

  it.each(['pageSize', 'pageToken'])('a list refuses %s as it refuses every unknown field', async (name) => {
    for (const path of ['/api/v1/search/tasks', '/api/v1/search/policies', '/api/v1/search/automations']) {
      const { status, body } = await subject.post(path, { [name]: null })
      expect([path, status, body.code]).toEqual([path, 400, 'request_invalid'])
      expect(JSON.stringify(body.errors)).toContain(name)
    }
  })

  it('a list is the same statement for every page size, which each connection prepares once', async () => {
    const statements = async (size: number) => {
      const texts: string[] = []
      const query: Queryable['query'] = (text, params) => {
        texts.push(text)
        return subject.database.query(text, params)
      }
      const app = createApp({ ...subject.dependencies, database: { ...subject.database, query } })
      const headers = { authorization: `Bearer ${subject.token}` }
      const page = await app.request(`/api/v1/apps/app-payroll/entitlements?page_size=${size}`, { headers })
      expect((await replyOf(page)).body.list).toHaveLength(size)
      return texts
    }
    expect(await statements(11)).toStrictEqual(await statements(12))
  })
})
