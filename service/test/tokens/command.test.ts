import { expect, inject, it } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { runTokenCommand } from '../../src/tokens/command.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { Subject } from '../support/subject.ts'

/** The command, run beside a running service. */
async function beside(subject: Subject) {
  const address = await copyOfPostgres(inject('postgresFolder'))
  await subject.start(openPostgres(address, () => {}))
  return async (...args: string[]) => {
    const said: string[] = []
    const note = (text: string) => said.push(text)
    const code = await runTokenCommand(
      args,
      { SERVICE_DATABASE_URL: urlOf(address) },
      { log: note, error: note },
    )
    return { code, said: said.join('\n') }
  }
}

const RUNS = '/api/v1/automations'
const TASK = '/api/v1/tasks/1'

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('a token is issued for a user, works with its role, is listed without its secret, and revoked'),
  async () => {
    const subject = new Subject()
    const run = await beside(subject)
    const issued = await run('--user', 'ci', '--role', 'viewer', '--days', '30')
    expect(issued).toMatchObject({ code: 0, said: expect.stringMatching(/^svc_[0-9a-f]{16}_[\w-]{43}$/) })
    const [, id = '', secret = ''] = /^svc_([0-9a-f]+)_(.+)$/.exec(issued.said) ?? []
    expect((await subject.get(TASK, issued.said)).status).toBe(200)
    expect((await subject.get(RUNS, issued.said)).status).toBe(403)
    const { said } = await run('--list')
    expect(said).toMatch(new RegExp(`^${id}\tci\tviewer\t20\\d\\d-`, 'm'))
    expect(said).not.toContain(secret.slice(0, 10))
    expect(await run('--revoke', id)).toStrictEqual({ code: 0, said: `${id} is revoked` })
    expect((await subject.get(TASK, issued.said)).status).toBe(401)
    expect((await run('--revoke', id)).code).toBe(1)
    expect((await run('--list')).said).toContain('revoked 20')
    await subject.stop()
  },
)

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('a user that is there keeps what it has, and may have several tokens'),
  async () => {
    const subject = new Subject()
    const run = await beside(subject)
    const tokens = [
      await run('--user', 'user-ada', '--role', 'super_admin'),
      await run('--user', 'user-ada', '--role', 'operator', '--role', 'viewer'),
    ]
    for (const { said } of tokens) expect((await subject.get(TASK, said)).status).toBe(200)
    const [ada] = await subject.database.query("SELECT display_name FROM users WHERE id = 'user-ada'")
    expect(ada).toStrictEqual({ display_name: 'Ada Lovelace' })
    await subject.stop()
  },
)

it.each([
  [['--user', 'ci']],
  [['--role', 'viewer']],
  [['--user', 'ci', '--role', 'king']],
  [['--user', 'a b', '--role', 'viewer']],
  [['--user', 'ci', '--role', 'viewer', '--days', '0']],
  [['--nonsense']],
  [['extra']],
])('the command exits with 2 and prints the help for %j', async (args) => {
  const said: string[] = []
  const note = (text: string) => said.push(text)
  // Nothing listens at this address, so no database is reached.
  const environment = { SERVICE_DATABASE_URL: 'postgres://localhost:1/none' }
  expect(await runTokenCommand(args, environment, { log: note, error: note })).toBe(2)
  expect(said.join()).toContain('npm run service -- token --user')
})

it('the command exits with 0 for --help', async () => {
  const said: string[] = []
  expect(await runTokenCommand(['--help'], {}, { log: (text) => said.push(text), error: () => {} })).toBe(0)
  expect(said.join()).toContain('--revoke ID')
})
