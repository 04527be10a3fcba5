import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import {
  type CheckOptions,
  entityVersions,
  entityVersionsSchema,
  type PostgresClient,
  postgresSchema,
  postgresStore,
  type StoreProblem,
} from '../../src/stores/postgres/store.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

/** Each of the tables: what creates it, and what asks who may write to it. */
interface Kept {
  readonly name: string
  migrate(client: PostgresClient, table: string): Promise<void>
  check(client: PostgresClient, table: string, options?: CheckOptions): Promise<readonly StoreProblem[]>
  /** What a stranger would insert. */
  readonly forged: string
}

const JOB = `INSERT INTO TABLE_NAME (key, listener_id, state, due_at, envelope)
VALUES (gen_random_uuid(), 'orders', 'waiting', now(), 'nobody signed this')`

const EVENTS: Kept = {
  name: 'postgresStore',
  migrate: (client, table) => postgresStore(client, { table }).migrate(),
  check: (client, table, options) => postgresStore(client, { table }).check(options),
  forged: `INSERT INTO TABLE_NAME VALUES (gen_random_uuid(), now(), TRUE, 'orders', NULL)`,
}
const INBOX: Kept = {
  name: 'inbox',
  migrate: (client, table) => inbox(client, { table }).migrate(),
  check: (client, table, options) => inbox(client, { table }).check(options),
  forged: JOB,
}
const VERSIONS: Kept = {
  name: 'entityVersions',
  migrate: (client, table) => entityVersions({ table }).migrate(client),
  check: (client, table, options) => entityVersions({ table }).check(client, options),
  forged: `INSERT INTO TABLE_NAME VALUES ('shop:order:1', 'number', 9, 'newer', now())`,
}
const ALL_RIGHTS = 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('who may write to the tables'), () => {
  let server: PostgresServer
  /** A superuser. */
  let admin: pg.Pool
  /** Like `postgres` on Supabase: no superuser, and a member of the roles of its API. */
  let app: pg.Pool
  let tables = 0

  beforeAll(async () => {
    server = await PostgresServer.start('fsync=on')
    admin = new pg.Pool(server.address)
    // As Supabase makes them.
    await admin.query(`CREATE ROLE anon NOLOGIN; CREATE ROLE authenticated NOLOGIN; CREATE ROLE service_role NOLOGIN BYPASSRLS;
      CREATE ROLE authenticator LOGIN NOINHERIT IN ROLE anon, authenticated, service_role;
      CREATE ROLE app LOGIN CREATEROLE IN ROLE anon, authenticated, service_role; GRANT ALL ON SCHEMA public TO app;
      ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role`)
    app = new pg.Pool({ ...server.address, user: 'app' })
    for (const pool of [admin, app]) pool.on('error', () => {})
  })

  afterAll(async () => {
    await Promise.all([admin?.end(), app?.end()])
    await server?.remove()
  })

  const newName = () => {
    tables += 1
    return `kept_${tables}`
  }
  /** A table as a version made it that revoked nothing: with the grants of default privileges. */
  async function older(kept: Kept): Promise<string> {
    const table = newName()
    await kept.migrate(app, table)
    await app.query(`GRANT ALL ON ${table} TO anon, authenticated`)
    return table
  }
  /** A table to which only its owner, `app`, may write. */
  async function fresh(kept: Kept): Promise<string> {
    const table = newName()
    await kept.migrate(app, table)
    await app.query(`REVOKE ALL ON ${table} FROM service_role`)
    return table
  }
  const fixes = async (kept: Kept, table: string, options?: CheckOptions, client: PostgresClient = app) =>
    (await kept.check(client, table, options)).map(({ fix }) => fix)
  const role = async (definition: string, client: PostgresClient & Pick<pg.Pool, 'query'> = admin) => {
    tables += 1
    const name = `role_${tables}`
    await client.query(`CREATE ROLE ${name} ${definition}`)
    return name
  }
  /** Runs a statement as another role. */
  async function as(name: string, statement: string): Promise<unknown> {
    const connection = await admin.connect()
    try {
      await connection.query(`SET ROLE ${name}`)
      return await connection.query(statement)
    } finally {
      connection.release(true)
    }
  }

  describe.each([EVENTS, INBOX, VERSIONS])('the table of $name', (kept) => {
    const forge = (table: string) => kept.forged.replace('TABLE_NAME', table)

    it('an older table lets the public key write: check() names the REVOKE that ends it', async () => {
      const table = await older(kept)
      await as('anon', forge(table))
      const problems = await kept.check(app, table, { writers: ['service_role'] })
      expect(problems).toEqual(
        ['anon', 'authenticated'].map((who) => ({
          problem: expect.stringMatching(`^the role ${who} may ${ALL_RIGHTS} on the table`),
          fix: `REVOKE ${ALL_RIGHTS} ON TABLE public.${table} FROM ${who}`,
        })),
      )
      await as('anon', forge(table).replace(/9/, '8').replace('order:1', 'order:2')) // check() has changed nothing
      for (const { fix } of problems) await app.query(fix)
      expect(await kept.check(app, table, { writers: ['service_role'] })).toEqual([])
      for (const stranger of ['anon', 'authenticated']) {
        await expect(as(stranger, forge(table))).rejects.toThrow('permission denied')
        await expect(as(stranger, `TRUNCATE ${table}`)).rejects.toThrow('permission denied')
      }
    })

    it('a new table lets neither anon nor authenticated in, and leaves service_role what it has', async () => {
      const table = newName()
      await kept.migrate(app, table)
      for (const stranger of ['anon', 'authenticated', 'authenticator']) {
        await expect(as(stranger, forge(table))).rejects.toThrow('permission denied')
        await expect(as(stranger, `SELECT FROM ${table}`)).rejects.toThrow('permission denied')
      }
      await as('service_role', forge(table))
      expect(await fixes(kept, table)).toEqual([
        `REVOKE ${ALL_RIGHTS} ON TABLE public.${table} FROM service_role`,
      ])
      expect(await fixes(kept, table, { writers: ['service_role'] })).toEqual([])
    })

    it('migrate() takes nothing from a table that is there', async () => {
      const table = await older(kept)
      const grants = async () =>
        (await app.query('SELECT relacl::text FROM pg_class WHERE relname = $1', [table])).rows
      const before = await grants()
      await kept.migrate(app, table)
      expect(await grants()).toEqual(before)
    })

    it('migrate() works where default privileges are given to PUBLIC, and where none of these roles is', async () => {
      const database = newName()
      await admin.query(`CREATE DATABASE ${database}`)
      const own = new pg.Pool({ ...server.address, database })
      own.on('error', () => {})
      onTestFinished(() => own.end())
      await own.query('ALTER DEFAULT PRIVILEGES GRANT INSERT ON TABLES TO PUBLIC')
      await kept.migrate(own, 'kept')
      expect(await fixes(kept, 'kept', {}, own)).toEqual([])
    })

    it('the current role keeps what it has, even if its name is anon', async () => {
      await admin.query('GRANT CREATE ON SCHEMA public TO anon')
      const connection = await admin.connect()
      onTestFinished(async () => {
        connection.release(true)
        await admin.query('REVOKE CREATE ON SCHEMA public FROM anon')
      })
      connection.on('error', () => {})
      await connection.query('SET ROLE anon')
      const table = newName()
      await kept.migrate(connection, table)
      await connection.query(forge(table))
      expect(await fixes(kept, table, {}, connection)).toEqual([])
    })

    it('a table that does not exist has no writers', async () => {
      const problems = await kept.check(app, 'nowhere')
      expect(problems.map(({ problem }) => problem)).toEqual([
        'the table is missing, or this user cannot see its schema: nowhere',
      ])
    })
  })

  it('a stranger with the public key inserts a job, and the worker would run it; after the mend it does not', async () => {
    const table = await older(INBOX)
    const box = inbox(app, { table })
    await as('anon', JOB.replace('TABLE_NAME', table))
    expect(await box.counts()).toMatchObject({ waiting: 1 })
    for (const { fix } of await box.check({ writers: ['service_role'] })) await app.query(fix)
    await expect(as('anon', JOB.replace('TABLE_NAME', table))).rejects.toThrow('permission denied')
    await expect(as('anon', `DELETE FROM ${table}`)).rejects.toThrow('permission denied')
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('what postgresSchema() and entityVersionsSchema() print does the same, and again nothing', async () => {
    for (const [kept, schema] of [
      [EVENTS, postgresSchema],
      [VERSIONS, entityVersionsSchema],
    ] as const) {
      const table = newName()
      await app.query(schema(table))
      await expect(as('anon', kept.forged.replace('TABLE_NAME', table))).rejects.toThrow('permission denied')
      await app.query(`GRANT INSERT ON ${table} TO authenticated`)
      await app.query(schema(table))
      expect(await fixes(kept, table, { writers: ['service_role'] })).toEqual([
        `REVOKE INSERT ON TABLE public.${table} FROM authenticated`,
      ])
    }
  })

  it('migrate() does not fail if nothing may be revoked', async () => {
    // As hosts do that keep the ownership of tables.
    await admin.query(`CREATE FUNCTION take_over() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN ALTER TABLE taken OWNER TO hookgate; END $$;
      CREATE EVENT TRIGGER take_over ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION take_over()`)
    onTestFinished(async () => {
      await admin.query('DROP EVENT TRIGGER take_over; DROP FUNCTION take_over')
    })
    await VERSIONS.migrate(app, 'taken')
    expect(await fixes(VERSIONS, 'taken', { writers: ['app', 'service_role'] }, admin)).toEqual(
      ['anon', 'authenticated'].map((who) => `REVOKE ${ALL_RIGHTS} ON TABLE public.taken FROM ${who}`),
    )
  })

  describe('check()', () => {
    it('check() finds what every role may, by PUBLIC, in one line', async () => {
      const table = await fresh(EVENTS)
      await app.query(`GRANT DELETE, TRUNCATE, SELECT, REFERENCES ON ${table} TO PUBLIC`)
      expect(await EVENTS.check(app, table)).toEqual([
        {
          problem: expect.stringMatching(/^every role \(PUBLIC\) may DELETE, TRUNCATE on the table/),
          fix: `REVOKE DELETE, TRUNCATE ON TABLE public.${table} FROM PUBLIC`,
        },
      ])
      for (const fix of await fixes(EVENTS, table)) await app.query(fix)
      expect(await fixes(EVENTS, table)).toEqual([])
    })

    it('check() finds no one who may only read', async () => {
      const table = await fresh(EVENTS)
      await app.query(`GRANT SELECT, REFERENCES ON ${table} TO anon, PUBLIC`)
      expect(await fixes(EVENTS, table)).toEqual([])
    })

    it('check() finds the grants of single columns, and its REVOKE ends them', async () => {
      const table = await fresh(INBOX)
      const writer = await role('LOGIN')
      await app.query(`GRANT UPDATE (state, due_at), INSERT (key), SELECT (id) ON ${table} TO ${writer}`)
      expect(await fixes(INBOX, table)).toEqual([
        `REVOKE INSERT, UPDATE ON TABLE public.${table} FROM ${writer}`,
      ])
      for (const fix of await fixes(INBOX, table)) await app.query(fix)
      await expect(as(writer, `UPDATE ${table} SET state = 'waiting'`)).rejects.toThrow('permission denied')
      expect(await fixes(INBOX, table)).toEqual([])
    })

    it('check() names a group at the source, and not its members', async () => {
      const table = await fresh(EVENTS)
      const group = await role('NOLOGIN')
      for (let member = 0; member < 5; member += 1) await role(`LOGIN IN ROLE ${group}`)
      const nested = await role(`NOLOGIN NOINHERIT IN ROLE ${group}`)
      await role(`LOGIN IN ROLE ${nested}`)
      await app.query(`GRANT INSERT ON ${table} TO ${group}`)
      expect(await fixes(EVENTS, table)).toEqual([`REVOKE INSERT ON TABLE public.${table} FROM ${group}`])
      expect(await fixes(EVENTS, table, { writers: [group] })).toEqual([])
    })

    it('check() counts superusers, the owner, the current role and the members of these as no strangers', async () => {
      const table = await fresh(EVENTS)
      const superuser = await role('SUPERUSER LOGIN')
      const ownersMember = await role('LOGIN IN ROLE app')
      await app.query(`GRANT ALL ON ${table} TO ${superuser}, ${ownersMember}`)
      expect(await fixes(EVENTS, table)).toEqual([])
      const worker = await role('LOGIN')
      const workersMember = await role(`LOGIN NOINHERIT IN ROLE ${worker}`)
      await app.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${worker}, ${workersMember}`)
      const pool = new pg.Pool({ ...server.address, user: worker })
      pool.on('error', () => {})
      onTestFinished(() => pool.end())
      expect(await fixes(EVENTS, table, {}, pool)).toEqual([])
      expect(await fixes(EVENTS, table)).toEqual(
        [worker, workersMember]
          .toSorted()
          .map((who) => `REVOKE INSERT, UPDATE, DELETE ON TABLE public.${table} FROM ${who}`),
      )
      expect(await fixes(EVENTS, table, { writers: [worker] })).toEqual([])
    })

    it('check() leaves the group that gives the current role its rights, and finds its other members', async () => {
      const table = await fresh(EVENTS)
      const group = await role('NOLOGIN')
      const worker = await role(`LOGIN IN ROLE ${group}`)
      const between = await role(`NOLOGIN IN ROLE ${group}`)
      await admin.query(`GRANT ${between} TO ${worker}`)
      const pool = new pg.Pool({ ...server.address, user: worker })
      pool.on('error', () => {})
      onTestFinished(() => pool.end())
      await app.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${group}`)
      expect(await fixes(EVENTS, table, {}, pool)).toEqual([])
      const [other, another] = [await role(`LOGIN IN ROLE ${group}`), await role(`LOGIN IN ROLE ${between}`)]
      const found = await EVENTS.check(pool, table)
      expect(found).toEqual([
        {
          problem: expect.stringMatching(`^the role ${other} may .* as a member of ${group}: `),
          fix: `REVOKE ${group} FROM ${other}`,
        },
        {
          problem: expect.stringMatching(`^the role ${another} may .* as a member of ${between}: `),
          fix: `REVOKE ${between} FROM ${another}`,
        },
      ])
      expect(await fixes(EVENTS, table, { writers: [other, another] }, pool)).toEqual([])
      for (const { fix } of found) await admin.query(fix)
      expect(await fixes(EVENTS, table, {}, pool)).toEqual([])
      expect(await pool.query(`DELETE FROM ${table}`)).toMatchObject({ rowCount: 0 })
    })

    it('check() finds members of pg_write_all_data', async () => {
      const table = await fresh(EVENTS)
      const loader = await role('NOLOGIN IN ROLE pg_write_all_data')
      await role(`LOGIN IN ROLE ${loader}`)
      expect(await fixes(EVENTS, table)).toEqual([`REVOKE pg_write_all_data FROM ${loader}`])
      expect(await fixes(EVENTS, table, {}, admin)).toEqual([`REVOKE pg_write_all_data FROM ${loader}`])
      await as(loader, `DELETE FROM ${table} WHERE FALSE`)
      await admin.query(`REVOKE pg_write_all_data FROM ${loader}`)
      expect(await fixes(EVENTS, table)).toEqual([])
    })

    it('check() finds who may grant on, with those to whom they did', async () => {
      const table = await fresh(EVENTS)
      const [giver, taker] = [await role('LOGIN'), await role('LOGIN')]
      await app.query(`GRANT INSERT ON ${table} TO ${giver} WITH GRANT OPTION`)
      await as(giver, `GRANT INSERT ON ${table} TO ${taker}`)
      expect(await fixes(EVENTS, table, { writers: [giver] })).toEqual([
        `REVOKE GRANT OPTION FOR INSERT ON TABLE public.${table} FROM ${giver} CASCADE`,
      ])
      for (const fix of await fixes(EVENTS, table)) await app.query(fix)
      expect(await fixes(EVENTS, table)).toEqual([])
    })

    it('check() counts row level security as it acts: TRUNCATE and TRIGGER ask for no policy', async () => {
      const table = await older(EVENTS)
      const found = () => fixes(EVENTS, table, { writers: ['service_role', 'authenticated'] })
      const revoke = (rights: string) => [`REVOKE ${rights} ON TABLE public.${table} FROM anon`]
      await app.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
      await expect(as('anon', EVENTS.forged.replace('TABLE_NAME', table))).rejects.toThrow(
        'row-level security',
      )
      await as('anon', `TRUNCATE ${table}`)
      expect(await found()).toEqual(revoke('TRUNCATE, TRIGGER'))
      await app.query(`CREATE POLICY insert_all ON ${table} FOR INSERT TO PUBLIC WITH CHECK (TRUE)`)
      expect(await found()).toEqual(revoke('INSERT, TRUNCATE, TRIGGER'))
      await app.query(`DROP POLICY insert_all ON ${table};
        CREATE POLICY narrow ON ${table} AS RESTRICTIVE TO anon USING (TRUE);
        CREATE POLICY of_others ON ${table} FOR UPDATE TO service_role USING (TRUE)`)
      expect(await found()).toEqual(revoke('TRUNCATE, TRIGGER'))
      await app.query(`CREATE POLICY all_of_anon ON ${table} TO anon USING (TRUE)`)
      expect(await found()).toEqual(revoke(ALL_RIGHTS))
    })

    it('check() finds no one who cannot use the schema, until they can', async () => {
      const schema = newName()
      await admin.query(`CREATE SCHEMA ${schema} AUTHORIZATION app`)
      await EVENTS.migrate(app, `${schema}.events`)
      await app.query(`GRANT INSERT ON ${schema}.events TO anon`)
      await expect(as('anon', EVENTS.forged.replace('TABLE_NAME', `${schema}.events`))).rejects.toThrow(
        'permission denied for schema',
      )
      expect(await fixes(EVENTS, `${schema}.events`)).toEqual([])
      await app.query(`GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`)
      expect(await fixes(EVENTS, `${schema}.events`)).toEqual([
        `REVOKE INSERT ON TABLE ${schema}.events FROM anon`,
      ])
    })

    it.each([
      'a"; DROP TABLE x; --',
      'Anon',
      'anon ',
      "o'brien",
      'select',
      'public.x',
      'a\nb',
      '$1 x?',
      'ünï',
    ])('the REVOKE of check() names the role %j, and writers too', async (name) => {
      const table = await fresh(EVENTS)
      const quoted = pg.escapeIdentifier(name)
      await admin.query(`CREATE ROLE ${quoted}`)
      await app.query(`GRANT INSERT ON ${table} TO ${quoted}`)
      expect(await fixes(EVENTS, table, { writers: [name] })).toEqual([])
      expect(await fixes(EVENTS, table, { writers: [name.toUpperCase(), quoted, 'nobody'] })).toHaveLength(1)
      const [fix = ''] = await fixes(EVENTS, table)
      expect(fix).toMatch(/^REVOKE INSERT ON TABLE /)
      await app.query(fix)
      expect(await fixes(EVENTS, table)).toEqual([])
      await admin.query(`DROP ROLE ${quoted}`)
    })

    it('check() names roles of other letters in a database without an encoding', async () => {
      await admin.query('CREATE ROLE "jörg💶"')
      await admin.query('CREATE DATABASE bytes ENCODING SQL_ASCII TEMPLATE template0')
      const bytes = new pg.Pool({ ...server.address, database: 'bytes' })
      bytes.on('error', () => {})
      onTestFinished(() => bytes.end())
      await EVENTS.migrate(bytes, 'events')
      await bytes.query('GRANT INSERT ON events TO "jörg💶"')
      expect(await fixes(EVENTS, 'events', {}, bytes)).toEqual([
        'REVOKE INSERT ON TABLE public.events FROM "jörg💶"',
      ])
    })

    it('check() names tables and schemas that need quotes', async () => {
      await admin.query('CREATE SCHEMA "Web" AUTHORIZATION app; GRANT USAGE ON SCHEMA "Web" TO anon')
      await EVENTS.migrate(app, 'Web.Order')
      await app.query('GRANT DELETE ON "Web"."Order" TO anon')
      expect(await fixes(EVENTS, 'Web.Order')).toEqual(['REVOKE DELETE ON TABLE "Web"."Order" FROM anon'])
    })

    it.each([
      [{ writers: 'service_role' }],
      [{ writers: [''] }],
      [{ writers: [1] }],
      [{ writers: ['a\0b'] }],
      [{ writer: ['app'] }],
      ['service_role'],
    ])('CFG check() takes no %j', async (options) => {
      const wrong = options as CheckOptions // what a program without types may pass
      await expect(EVENTS.check(app, 'nowhere', wrong)).rejects.toThrow(/writers|check/)
      await expect(INBOX.check(app, 'nowhere', wrong)).rejects.toThrow(/writers|check/)
    })
  })
})
