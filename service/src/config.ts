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

const settings = z.strictObject({
  /** 0 lets the system choose. */
  SERVICE_PORT: digits.pipe(z.int().max(65_535)).default(8788),
  SERVICE_HOST: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).default('127.0.0.1'),
  /** The folder of PGlite and the root secret. */
  SERVICE_DATA: z.string().min(1).default('.hookgate-service'),
  /** Without it, PGlite. */
  SERVICE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  SERVICE_POOL_SIZE: digits.pipe(z.int().min(2).max(1_000)).default(10),
  /** Without it, the address listened on. */
  SERVICE_BASE_URL: baseUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
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
  /** Without it, everything is kept. */
  SERVICE_RETENTION_DAYS: digits.pipe(z.int().min(7).max(36_500)).optional(),
  SERVICE_JOB_LEASE_SECONDS: digits.pipe(z.int().min(1).max(3_600)).default(60),
  SERVICE_DRAIN_SECONDS: digits.pipe(z.int().max(3_600)).default(2),
  SERVICE_STOP_SECONDS: digits.pipe(z.int().max(3_600)).default(5),
})

/** The settings by their variables, which the README explains. */
export type Config = z.infer<typeof settings>

/** @throws Error that names each invalid variable and each unknown `SERVICE_…`. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const own = Object.entries(environment).filter(([name]) => name.startsWith('SERVICE_'))
  const { data: given, error } = settings.safeParse(Object.fromEntries(own))
  if (!given) throw new Error(`The environment is invalid.\n${z.prettifyError(error)}`)
  // A database that others may reach gets no super admin whose token stands in the log.
  return { SERVICE_SEED: given.SERVICE_DATABASE_URL === undefined ? 'on' : 'off', ...given }
}

/** Returns the root secret: the configured one, or else the one in the folder, which is created if missing. */
export async function rootSecret({ SERVICE_SECRET: secret, SERVICE_DATA: folder }: Config): Promise<string> {
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
