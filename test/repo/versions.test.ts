import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const PAGE = fileURLToPath(new URL('docs/runtimes.md', ROOT))

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

interface Manifest {
  readonly engines?: { readonly node: string }
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
}

type Versions = { readonly [name: string]: string }

const manifestOf = (folder: string): Manifest => JSON.parse(read(`${folder}package.json`))

/** The packages that a manifest installs, without the prefix of an alias: `npm:express@4.22.3`. */
function installedBy(folder: string): Versions {
  const { dependencies, devDependencies, optionalDependencies } = manifestOf(folder)
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  return Object.fromEntries(all.map(([name, version]) => [name, version.replace(/^npm:.+@/, '')]))
}

const { peerDependencies: ranges = {}, engines } = manifestOf('')
const newest = installedBy('')
const oldest = installedBy('test/suites/frameworks/')
const runtimes = installedBy('test/suites/runtimes/')
const hosts = installedBy('test/suites/hosts/')
const clients = { ...installedBy('test/suites/clients/'), ...newest }
const orms = installedBy('test/suites/clients/orms/')
const queues = installedBy('test/suites/queues/')

/** Installed by `.ci/run`, because it may have to be compiled. */
const betterSqlite = /better-sqlite3@([\d.]+)/.exec(read('.ci/run'))?.[1] ?? ''

const PEERS = { Express: ['express4', 'express'], Fastify: ['fastify'], Hono: ['hono'] } as const

const ROWS: readonly (readonly [what: string, range: string, tested: readonly string[]])[] = [
  [
    'Node',
    engines?.node ?? '',
    ['20', '22', '24', '26'].map((major) => runtimes[`node${major}-linux-x64`] ?? ''),
  ],
  ['Bun', 'current', [runtimes.bun ?? '']],
  ['Deno', 'current', [runtimes.deno ?? '']],
  ['workerd', 'current', [runtimes.workerd ?? '']],
  ...Object.entries(PEERS).map(
    ([title, names]) =>
      [
        title,
        ranges[names.at(-1) ?? ''] ?? '',
        names.flatMap((name) => [oldest[name] ?? '', newest[name] ?? '']),
      ] as const,
  ),
  [
    'OpenTelemetry API',
    ranges['@opentelemetry/api'] ?? '',
    [oldest, newest].map((of) => of['@opentelemetry/api'] ?? ''),
  ],
  ...named(hosts, {
    'Next.js': 'next',
    SvelteKit: '@sveltejs/kit',
    NestJS: '@nestjs/core',
    Koa: 'koa',
    h3: 'h3',
  }),
  ...named(hosts, { Nitro: 'nitropack', Elysia: 'elysia', 'React Router': 'react-router' }),
  ['ioredis', '5, 6', [clients.ioredis5 ?? '', clients.ioredis ?? '']],
  ['node-redis', '5, 6', [clients.redis5 ?? '', clients.redis ?? '']],
  ...named(clients, {
    iovalkey: 'iovalkey',
    'Valkey GLIDE': '@valkey/valkey-glide',
    'Upstash Redis': '@upstash/redis',
  }),
  ...named(clients, {
    pg: 'pg',
    'postgres.js': 'postgres',
    PGlite: '@electric-sql/pglite',
    neon: '@neondatabase/serverless',
  }),
  ...named(clients, {
    mysql2: 'mysql2',
    mariadb: 'mariadb',
    libsql: 'libsql',
    '@libsql/client': '@libsql/client',
  }),
  ['better-sqlite3', '12, 13', [betterSqlite]],
  ...named(clients, { 'AWS SDK for DynamoDB': '@aws-sdk/client-dynamodb' }),
  ...named(orms, {
    Prisma: '@prisma/client',
    Drizzle: 'drizzle-orm',
    Kysely: 'kysely',
    TypeORM: 'typeorm',
    Knex: 'knex',
  }),
  ...named(orms, { MikroORM: '@mikro-orm/core', Sequelize: 'sequelize' }),
  ...named(queues, { BullMQ: 'bullmq', 'pg-boss': 'pg-boss', 'graphile-worker': 'graphile-worker' }),
]

/** A row for each package, with its major version as the range. */
function named(installed: Versions, titles: { readonly [title: string]: string }) {
  return Object.entries(titles).map(([title, name]) => {
    const version = installed[name] ?? ''
    return [title, /^(?:0\.\d+|\d+)/.exec(version)?.[0] ?? '', [version]] as const
  })
}

it('each row of docs/runtimes.md has a range and the versions that are installed', () => {
  for (const [what, range, tested] of ROWS) {
    expect([range, ...tested], what).not.toContain('')
  }
})

it('docs/runtimes.md is up to date (npm run docs:versions)', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const rows = ROWS.map(
    ([what, range, tested]) =>
      `| ${what} | ${range.replaceAll('|', '\\|')} | ${[...new Set(tested)].join(', ')} |`,
  )
  const table = ['| what | range | tested |', '|---|---|---|', ...rows].join('\n')
  const [before = '', rest = ''] = page.split('<!-- versions: npm run docs:versions -->')
  const after = rest.slice(rest.indexOf('<!-- end of versions -->'))
  await expect(
    `${before}<!-- versions: npm run docs:versions -->\n\n${table}\n\n${after}`,
  ).toMatchFileSnapshot(PAGE)
})
