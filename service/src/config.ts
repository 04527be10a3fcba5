import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const onOff = z.enum(['on', 'off']).transform((word) => word === 'on')

/** Not by `Number`, which reads an empty string as 0, a valid port. */
const digits = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)

const network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'must be networks such as 10.0.0.0/8, separated by commas',
})

/** The prefix of listener URLs, which are also the `aud` of tokens. */
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^\w+:\/\/[^@/?#]*(\/[^?#]*)?$/, 'must have no query, no fragment and no credentials')

const variables = z.strictObject({
  SERVICE_PORT: digits.pipe(z.int().max(65_535)).default(8788),
  SERVICE_HOST: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).default('127.0.0.1'),
  SERVICE_DATA: z.string().min(1).default('.hookgate-service'),
  SERVICE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  SERVICE_POOL_SIZE: digits.pipe(z.int().min(2).max(1_000)).default(10),
  SERVICE_BASE_URL: baseUrl.optional(),
  SERVICE_SECRET: z.string().min(32).optional(),
  SERVICE_OTHER_SECRET: z.string().min(32).optional(),
  SERVICE_SEED: z
    .string()
    .regex(/^(on|off|.+\.json)$/, 'must be on, off or a .json file')
    .optional(),
  SERVICE_BASELINE_POLICIES: onOff.default(true),
  SERVICE_SKIP_STEP: z.enum(['operators', 'approvers']).default('operators'),
  SERVICE_ALLOW_PRIVATE_JWKS: onOff.default(false),
  SERVICE_TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((network) => network !== ''))
    .pipe(z.array(network))
    .default([]),
  SERVICE_RETENTION_DAYS: digits.pipe(z.int().min(7).max(36_500)).optional(),
  SERVICE_JOB_LEASE_SECONDS: digits.pipe(z.int().min(1).max(3_600)).default(60),
  SERVICE_DRAIN_SECONDS: digits.pipe(z.int().max(3_600)).default(2),
  SERVICE_STOP_SECONDS: digits.pipe(z.int().max(3_600)).default(5),
})

export interface Config {
  /** 0 lets the system choose. Default 8788. */
  readonly port: number
  /** The address to listen on. `0.0.0.0` and `::` mean all addresses. Default `127.0.0.1`. */
  readonly host: string
  /** The folder of PGlite and the root secret. Default `.hookgate-service`. */
  readonly folder: string
  /** The URL of a Postgres server. Default: PGlite. */
  readonly databaseUrl: string | undefined
  /** The most connections to the Postgres server. Default 10. */
  readonly poolSize: number
  /** The public URL of the tenant, without a trailing slash. Default: the address listened on. */
  readonly baseUrl: string | undefined
  /** The root secret, at least 32 characters. Default: generated once and kept in the folder. */
  readonly secret: string | undefined
  /** The root secret to rotate from, or to: signing secrets that it sealed can be opened too. */
  readonly otherSecret: string | undefined
  /** Whether to create the demo tenant in an empty database. Default: only on PGlite. */
  readonly seed: boolean
  /** A file to import at every start, instead of the demo tenant. */
  readonly seedFile: string | undefined
  readonly baselinePolicies: boolean
  /** Who may skip a step that names other approvers. Default `operators`: everyone with that role. */
  readonly skippers: 'operators' | 'approvers'
  /** Whether to fetch a JWKS from private, loopback and link-local addresses. For development only. */
  readonly allowPrivateJwks: boolean
  /** The networks of the proxies in front, separated by commas. Default: none. */
  readonly trustedProxies: readonly string[]
  /** After how many days ended runs, their records, and the audits of closed tasks are deleted. Default: never. */
  readonly retentionDays: number | undefined
  /** The lease of a job, in seconds. The job of a dead process runs again after it. Default 60. */
  readonly jobLeaseSeconds: number
  /** How long to accept connections after SIGTERM while `/readyz` answers 503, in seconds. Default 2. */
  readonly drainSeconds: number
  /** How long to wait for requests in flight on shutdown, in seconds. Default 5. */
  readonly stopSeconds: number
}

/** @throws Error that names each invalid variable and each unknown `SERVICE_…`. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const own = Object.entries(environment).filter(([name]) => name.startsWith('SERVICE_'))
  const { data: given, error } = variables.safeParse(Object.fromEntries(own))
  if (!given) throw new Error(`The environment is invalid.\n${z.prettifyError(error)}`)
  // A database that others may reach gets no super admin whose token stands in the log.
  const { SERVICE_SEED: seed = given.SERVICE_DATABASE_URL === undefined ? 'on' : 'off' } = given
  return {
    port: given.SERVICE_PORT,
    host: given.SERVICE_HOST,
    folder: given.SERVICE_DATA,
    databaseUrl: given.SERVICE_DATABASE_URL,
    poolSize: given.SERVICE_POOL_SIZE,
    baseUrl: given.SERVICE_BASE_URL?.replace(/\/+$/, ''),
    secret: given.SERVICE_SECRET,
    otherSecret: given.SERVICE_OTHER_SECRET,
    seed: seed === 'on',
    seedFile: seed.endsWith('.json') ? seed : undefined,
    baselinePolicies: given.SERVICE_BASELINE_POLICIES,
    skippers: given.SERVICE_SKIP_STEP,
    allowPrivateJwks: given.SERVICE_ALLOW_PRIVATE_JWKS,
    trustedProxies: given.SERVICE_TRUSTED_PROXIES,
    retentionDays: given.SERVICE_RETENTION_DAYS,
    jobLeaseSeconds: given.SERVICE_JOB_LEASE_SECONDS,
    drainSeconds: given.SERVICE_DRAIN_SECONDS,
    stopSeconds: given.SERVICE_STOP_SECONDS,
  }
}

/** Returns the root secret: the configured one, or else the one in the folder, which is created if missing. */
export async function rootSecret({ secret, folder }: Config): Promise<string> {
  if (secret !== undefined) return secret
  const file = join(folder, 'secret')
  const draft = `${file}.${randomUUID()}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  // If two processes start at once, only one `link` succeeds. Both then read the complete file.
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return readFile(file, 'utf8')
}
