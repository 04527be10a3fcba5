import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

describeService('a list', (subject) => {
  it.each(['page_size', 'pageSize', 'page_token', 'pageToken'])(
    'a list takes null as an absent %s',
    async (name) => {
      for (const path of ['/api/v1/search/tasks', '/api/v1/search/policies', '/api/v1/search/automations']) {
        const absent = await subject.post(path, {})
        expect(absent.status).toBe(200)
        expect(await subject.post(path, { [name]: null })).toMatchObject({ status: 200, body: absent.body })
      }
    },
  )

  it('a list takes null beside the other spelling', async () => {
    const page = { page_size: 10, pageSize: null, page_token: null, pageToken: '' }
    expect((await subject.post('/api/v1/search/tasks', page)).status).toBe(200)
  })
})
