import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const onOff = z.enum(['on', 'off']).transform((word) => word === 'on')

/** `Number` reads nothing at all as 0, which is a port. */
const digits = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)

/** Paths are written behind it: in listener URLs, which are also what a token has to name. */
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^\w+:\/\/[^@/?#]*(\/[^?#]*)?$/, 'must end with its path, and have no credentials')

const variables = z.strictObject({
  SERVICE_PORT: digits.pipe(z.int().max(65_535)).default(8788),
  SERVICE_HOST: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).default('127.0.0.1'),
  SERVICE_DATA: z.string().min(1).default('.hookgate-service'),
  SERVICE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  SERVICE_BASE_URL: baseUrl.optional(),
  SERVICE_SECRET: z.string().min(32).optional(),
  SERVICE_SEED: z
    .string()
    .regex(/^(on|off|.+\.json)$/, 'must be on, off or a .json file')
    .default('on'),
  SERVICE_BASELINE_POLICIES: onOff.default(true),
  SERVICE_SKIP_STEP: z.enum(['operators', 'approvers']).default('operators'),
  SERVICE_ALLOW_PRIVATE_JWKS: onOff.default(false),
  SERVICE_TRUSTED_PROXIES: z.string().default(''),
  SERVICE_JOB_LEASE_SECONDS: digits.pipe(z.int().min(1).max(3_600)).default(60),
  SERVICE_STOP_SECONDS: digits.pipe(z.int().max(3_600)).default(10),
})

export interface Config {
  /** 0 lets the system choose. Default 8788. */
  readonly port: number
  /** The address that is listened on: `0.0.0.0` and `::` are all of them. Default `127.0.0.1`. */
  readonly host: string
  /** Where PGlite and the secret are kept. Default `.hookgate-service`. */
  readonly folder: string
  /** A real Postgres; PGlite without it. */
  readonly databaseUrl: string | undefined
  /** What the tenant is called by outside, without a slash at the end. Default: the address listened on. */
  readonly baseUrl: string | undefined
  /** At least 32 characters. Default: made once, and kept in the folder. */
  readonly secret: string | undefined
  /** Whether an empty database gets the demo tenant. */
  readonly seed: boolean
  /** What is imported at every start instead of the demo tenant. */
  readonly seedFile: string | undefined
  readonly baselinePolicies: boolean
  /** Who may skip a step that names others as its approvers. Default `operators`: everybody with that role. */
  readonly skippers: 'operators' | 'approvers'
  /** Development only: whether a JWKS may be fetched from private, loopback and link-local addresses. */
  readonly allowPrivateJwks: boolean
  /** Networks of the proxies in front, with commas between. Default: none. */
  readonly trustedProxies: readonly string[]
  /** How long the job of a process that died is left alone, in seconds. Default 60. */
  readonly jobLeaseSeconds: number
  /** How long running requests have to end when the service is stopped, in seconds. Default 10. */
  readonly stopSeconds: number
}

/** @throws Error that names each variable that is wrong, and each `SERVICE_…` that does not exist. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const own = Object.entries(environment).filter(([name]) => name.startsWith('SERVICE_'))
  const { data: given, error } = variables.safeParse(Object.fromEntries(own))
  if (!given) throw new Error(`The environment is wrong.\n${z.prettifyError(error)}`)
  return {
    port: given.SERVICE_PORT,
    host: given.SERVICE_HOST,
    folder: given.SERVICE_DATA,
    databaseUrl: given.SERVICE_DATABASE_URL,
    baseUrl: given.SERVICE_BASE_URL?.replace(/\/+$/, ''),
    secret: given.SERVICE_SECRET,
    seed: given.SERVICE_SEED === 'on',
    seedFile: given.SERVICE_SEED.endsWith('.json') ? given.SERVICE_SEED : undefined,
    baselinePolicies: given.SERVICE_BASELINE_POLICIES,
    skippers: given.SERVICE_SKIP_STEP,
    allowPrivateJwks: given.SERVICE_ALLOW_PRIVATE_JWKS,
    trustedProxies: given.SERVICE_TRUSTED_PROXIES.split(/[\s,]+/).filter((network) => network !== ''),
    jobLeaseSeconds: given.SERVICE_JOB_LEASE_SECONDS,
    stopSeconds: given.SERVICE_STOP_SECONDS,
  }
}

/** The service's root secret: as configured, or as the folder has it, or a new one that the folder keeps. */
export async function rootSecret({ secret, folder }: Config): Promise<string> {
  if (secret !== undefined) return secret
  const file = join(folder, 'secret')
  const draft = `${file}.${randomUUID()}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  // Of two that start at once, one links, and both read the whole of what it wrote.
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return readFile(file, 'utf8')
}
