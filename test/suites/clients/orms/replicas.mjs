// The programs of this folder with a read replica, at REPLICA_URL, as each ORM is told of one, and a read that goes there.
import { readFileSync, writeFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { SUBJECTS } from './subjects.mjs'

/** Each changes a program in one place. Knex has no replicas. */
const REPLICATED = {
  'Prisma 7': {
    from: 'new PrismaClient({ adapter })',
    to: `new PrismaClient({ adapter }).$extends(
      readReplicas({ replicas: [new PrismaClient({ adapter: new PrismaPg(process.env.REPLICA_URL) })] }),
    )`,
    imports: "import { readReplicas } from '@prisma/extension-read-replicas'",
    read: ({ prisma }) => prisma.payment.findMany(),
  },
  'Drizzle on pg': {
    from: 'drizzle({ client })',
    to: `withReplicas(drizzle({ client }), [
      drizzle({ client: new pg.Pool({ connectionString: process.env.REPLICA_URL }).on('error', console.error) }),
    ])`,
    imports: "import { withReplicas } from 'drizzle-orm/pg-core'",
    read: ({ db }) => db.select({ id: sql`id` }).from(sql`payments`),
  },
  Kysely: {
    from: 'new PostgresDialect({ pool })',
    to: `new KyselyReplicationDialect({
      primaryDialect: new PostgresDialect({ pool }),
      replicaDialects: [
        new PostgresDialect({ pool: new pg.Pool({ connectionString: process.env.REPLICA_URL }).on('error', console.error) }),
      ],
      replicaStrategy: new RoundRobinReplicaStrategy(),
    })`,
    imports: `import { KyselyReplicationDialect } from 'kysely-replication'
import { RoundRobinReplicaStrategy } from 'kysely-replication/strategy/round-robin'`,
    read: ({ db }) => db.selectFrom('payments').select('id').execute(),
  },
  TypeORM: {
    from: "url: process.env.DATABASE_URL ?? ''",
    to: `replication: {
      defaultMode: 'slave',
      master: { url: process.env.DATABASE_URL },
      slaves: [{ url: process.env.REPLICA_URL }],
    }`,
    read: ({ dataSource }) => dataSource.getRepository('payments').find(),
  },
  MikroORM: {
    from: 'entities: [Payment]',
    to: 'entities: [Payment], replicas: [{ clientUrl: process.env.REPLICA_URL }]',
    read: ({ orm }) => orm.em.fork().find('Payment', {}),
  },
  Sequelize: {
    from: 'logging: false',
    to: 'logging: false, replication: { read: [REPLICA], write: PRIMARY }',
    imports: `const addressOf = ({ hostname, port, username, pathname }) => ({
      host: hostname, port, username, password: null, database: pathname.slice(1),
    })
const [PRIMARY, REPLICA] = [process.env.DATABASE_URL, process.env.REPLICA_URL].map((url) => addressOf(new URL(url)))`,
    read: ({ sequelize }) => sequelize.models.Payment.findAll(),
  },
}

/** Imports the compiled program, changed. */
async function open({ from, to, imports = '' }, file) {
  const at = new URL(file, import.meta.url)
  const program = readFileSync(at, 'utf8')
  if (program.split(from).length !== 2) throw new Error(`${file} has no, or not one, ${from}`)
  const changed = new URL(at.href.replace(/\.js$/, '-replicas.js'))
  writeFileSync(changed, `${imports}\n${program.replace(from, () => to)}`)
  return import(changed.href)
}

/** Each ORM's program with a replica, and the ORM's own read. */
export const REPLICAS = Object.entries(REPLICATED).map(([name, { read, ...change }]) => ({
  name,
  open: () => open(change, SUBJECTS[name].file),
  read,
}))
