import { expect, it } from 'vitest'
import { describeService, type Subject } from '../support/databases.ts'

const PATH = '/api/v1/apps/app-payroll/entitlements'

async function names(subject: Subject, query: string): Promise<{ names: string[]; next: string }> {
  const { status, body } = await subject.get(`${PATH}?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return {
    names: body.list.map(
      (element: { appEntitlement: { displayName: string } }) => element.appEntitlement.displayName,
    ),
    next: body.nextPageToken,
  }
}

async function walk(
  subject: Subject,
  size: number,
  between: (page: number) => Promise<void> = async () => {},
) {
  const seen: string[] = []
  let [token, page] = ['', 0]
  do {
    const { names: found, next } = await names(subject, `page_size=${size}&page_token=${token}`)
    seen.push(...found)
    token = next
    await between(page++)
  } while (token !== '')
  return { seen, pages: page }
}

describeService('GET /api/v1/apps/{app_id}/entitlements', (subject) => {
  it('the list returns 25 by default', async () => {
    expect((await names(subject, '')).names).toHaveLength(25)
  })

  it.each([
    [-5, 10],
    [9, 10],
    [10, 10],
    [11, 11],
    [59, 59],
    [100, 60],
    [101, 60],
  ])('the list with a page_size of %d returns %d of 60', async (asked, given) => {
    expect((await names(subject, `page_size=${asked}`)).names).toHaveLength(given)
  })

  it('the list refuses an unknown parameter by name, in queries as in bodies', async () => {
    for (const query of ['pageSize=50', 'page_size=50&pagetoken=x']) {
      const { status, body } = await subject.get(`${PATH}?${query}`)
      expect([status, body.code]).toEqual([400, 'request_invalid'])
      expect(JSON.stringify(body.errors)).toMatch(/pageSize|pagetoken/)
    }
  })

  it('the list treats a page_size above 100 as 100', async () => {
    await subject.database.query(`INSERT INTO apps VALUES ('large', 'Large', now())`)
    await subject.database.query(
      `INSERT INTO app_entitlements SELECT 'large-' || n, 'large', 'same name', '', now() FROM generate_series(1, 101) n`,
    )
    const { body } = await subject.get('/api/v1/apps/large/entitlements?page_size=5000')
    expect(body.list).toHaveLength(100)
    const huge = await subject.get(`/api/v1/apps/large/entitlements?page_size=${10n ** 400n}`)
    expect(huge.body).toEqual(body)
    expect(body.nextPageToken).not.toBe('')
    const rest = await subject.get(`/api/v1/apps/large/entitlements?page_token=${body.nextPageToken}`)
    expect(rest.body).toMatchObject({ list: [{}], nextPageToken: '' })
  })

  it.each(['1.5', 'ten', '1e400', '', '0x10', '1e2', '%2010'])(
    'the list refuses a page_size of "%s"',
    async (size) => {
      const { status, body } = await subject.get(`${PATH}?page_size=${size}`)
      expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'request_invalid', '/page_size'])
    },
  )

  it('the list returns every element once, in order, with an empty token on the last page even if it is full', async () => {
    const { seen, pages } = await walk(subject, 20)
    expect(pages).toBe(3)
    expect(seen).toHaveLength(60)
    expect(seen).toEqual([...new Set(seen)].toSorted())
  })

  it('the list returns each lasting row once while other rows come and go', async () => {
    const insert = (id: string, name: string) =>
      subject.database.query(`INSERT INTO app_entitlements VALUES ($1, 'app-payroll', $2, '', now())`, [
        id,
        name,
      ])
    await insert('goes', 'Payroll role 10 goes')
    const { seen } = await walk(subject, 10, async (page) => {
      await subject.database.query(
        `DELETE FROM app_entitlements WHERE id IN ('goes', 'new-' || $1::int - 1)`,
        [page],
      )
      await insert(`new-${page}`, 'A name before all the others')
    })
    await subject.database.query(`DELETE FROM app_entitlements WHERE id LIKE 'new-%'`)
    const stayed = seen.filter((name) => /^Payroll role \d\d$/.test(name))
    expect(stayed).toHaveLength(60)
    expect(new Set(stayed).size).toBe(60)
  })

  it('the list continues after the last element of a page is deleted', async () => {
    const first = await names(subject, 'page_size=10')
    const [gone] = await subject.database.query<{ created_at: Date }>(
      `DELETE FROM app_entitlements WHERE id = 'entitlement-10' RETURNING created_at`,
    )
    const second = await names(subject, `page_size=10&page_token=${first.next}`)
    await subject.database.query(
      `INSERT INTO app_entitlements VALUES ('entitlement-10', 'app-payroll', 'Payroll role 10', '', $1)`,
      [gone?.created_at],
    )
    expect(second.names[0]).toBe('Payroll role 11')
  })

  it('the list answers 404 for an unknown app', async () => {
    const { status, body } = await subject.get('/api/v1/apps/none/entitlements')
    expect([status, body.code]).toEqual([404, 'app_unknown'])
  })
})
