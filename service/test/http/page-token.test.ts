import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const PATH = '/api/v1/apps/app-payroll/entitlements'

describeService('page tokens', (subject) => {
  const tokenOf = async (path: string) => (await subject.get(`${path}?page_size=10`)).body.nextPageToken
  const refused = async (path: string) => {
    const { status, body } = await subject.get(path)
    expect([status, body.code]).toEqual([400, 'page_token_invalid'])
  }

  it('page tokens work with another page_size', async () => {
    const { status, body } = await subject.get(`${PATH}?page_size=50&page_token=${await tokenOf(PATH)}`)
    expect([status, body.list.length, body.nextPageToken]).toEqual([200, 50, ''])
  })

  it('page tokens lead through the longest names and IDs, even of control characters', async () => {
    const names = Array.from({ length: 11 }, (_, n) => ({
      id: `${n}`.padEnd(200, '\u0001'),
      appId: 'app-long',
    }))
    await subject.post('/api/v1/import', {
      apps: [{ id: 'app-long', displayName: 'Long' }],
      entitlements: names.map((each) => ({ ...each, displayName: '\u0001'.repeat(256) })),
    })
    const path = '/api/v1/apps/app-long/entitlements'
    const { status, body } = await subject.get(`${path}?page_token=${await tokenOf(path)}`)
    expect([status, body.list.length, body.nextPageToken]).toEqual([200, 1, ''])
  })

  it('page tokens are refused if any character changes', async () => {
    const token: string = await tokenOf(PATH)
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A'
      await refused(`${PATH}?page_token=${token.slice(0, at)}${other}${token.slice(at + 1)}`)
    }
  })

  it.each(['x', 'AAAAAAAAAAAAAAAAAAAAAA', '%00', 'A'.repeat(4_000)])(
    'page tokens are refused if made up: %.30s',
    async (token) => {
      await refused(`${PATH}?page_token=${token}`)
    },
  )

  it('page tokens are refused if truncated or extended', async () => {
    const token: string = await tokenOf(PATH)
    for (const wrong of [token.slice(0, -1), token.slice(0, 20), `${token}A`, `${token}=`, `${token}%0A`]) {
      await refused(`${PATH}?page_token=${wrong}`)
    }
  })

  it('page tokens are refused for another app', async () => {
    await subject.database.query(`INSERT INTO apps VALUES ('other', 'Other', now())`)
    await refused(`/api/v1/apps/other/entitlements?page_token=${await tokenOf(PATH)}`)
  })
})
