import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { copyOfPostgres, newDatabase } from '../support/copies.ts'

/** Migrates as a role with these rights only. */
async function refusalOf(
  address: Awaited<ReturnType<typeof newDatabase>>,
  ...grants: readonly string[]
): Promise<string> {
  const owner = new pg.Client(address)
  await owner.connect()
  const role = `role_${crypto.randomUUID().slice(0, 8)}`
  await owner.query(`CREATE ROLE "${role}" LOGIN; REVOKE ALL ON SCHEMA public FROM PUBLIC`)
  for (const grant of grants) await owner.query(`GRANT ${grant} TO "${role}"`)
  await owner.end()
  const database = openPostgres({ ...address, user: role }, () => {})
  const refusal = await migrate(database).then(
    () => 'none',
    (error: Error) => error.message,
  )
  await database.close()
  return refusal.replaceAll(role, 'someone').replaceAll(address.database, 'here')
}

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('a role without rights is told which it needs, on an empty database and on a migrated one'),
  async () => {
    const server = inject('postgresFolder')
    const told = (reason: string) =>
      `The role "someone" cannot migrate the database "here": ${reason}. The service needs a role that owns its ` +
      'tables, and has USAGE and CREATE on their schema: GRANT USAGE, CREATE ON SCHEMA public TO "someone"'
    const usage = 'USAGE ON SCHEMA public'
    const empty = () => newDatabase(server)
    expect(await refusalOf(await empty())).toBe(told('no schema has been selected to create in'))
    expect(await refusalOf(await empty(), usage)).toBe(told('permission denied for schema public'))
    expect(await refusalOf(await empty(), 'USAGE, CREATE ON SCHEMA public')).toBe('none')
    const migrated = await copyOfPostgres(server)
    expect(await refusalOf(migrated, 'USAGE, CREATE ON SCHEMA public')).toBe(
      told('permission denied for table service_migrations'),
    )
  },
  60_000,
)
