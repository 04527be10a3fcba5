import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { ROLES } from '../http/bearer.ts'
import { memberOf } from '../member-of.ts'
import { allTokens, issueToken, revokeToken, type TokenRow } from './store.ts'

const HELP = `npm run service -- token --user ID --role ROLE [options]

Issues an access token and prints it. The database stores only its hash.

  --user ID       the user of the token, created if missing
  --role ROLE     ${ROLES.join(', ')}; repeat it for several roles
  --days N        days until the token expires (default: never)

  --list          list all tokens instead, without their secrets
  --revoke ID     revoke a token instead; automations created with it continue
                  until their trigger is disabled
  --help          show this help

The SERVICE_… variables name the database. PGlite allows one process, so stop the service first.
`

const OPTIONS = {
  user: { type: 'string' },
  role: { type: 'string', multiple: true },
  days: { type: 'string' },
  list: { type: 'boolean', default: false },
  revoke: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const newToken = z.object({
  user: z.string().regex(/^[\w.@-]{1,64}$/, 'letters, digits, and . @ _ -, 64 at most'),
  role: z.array(z.enum(ROLES)).min(1),
  days: z.coerce.number().int().min(1).max(36_500).optional(),
})

/** Returns the text to print. */
type Work = (database: Database) => Promise<string>

/** Runs the `token` command. @returns The exit code: 2 for wrong usage, 1 for a failure. */
export async function runTokenCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: { log(text: string): void; error(text: string): void },
): Promise<number> {
  try {
    const work = workOf(args, new Date())
    out.log(work === 'help' ? HELP : await onDatabase(environment, work))
    return 0
  } catch (error) {
    const isWrongUsage =
      error instanceof z.ZodError || `${memberOf(error, 'code')}`.startsWith('ERR_PARSE_ARGS')
    const message = error instanceof z.ZodError ? z.prettifyError(error) : `${memberOf(error, 'message')}`
    out.error(isWrongUsage ? `${message}\n\n${HELP}` : message)
    return isWrongUsage ? 2 : 1
  }
}

/** @throws Error for wrong usage, of `parseArgs` or of zod. */
function workOf(args: readonly string[], now: Date): Work | 'help' {
  const { help, list, revoke, ...given } = parseArgs({ args: [...args], options: OPTIONS }).values
  if (help) return 'help'
  if (list) return async (database) => (await allTokens(database)).map(lineOf).join('\n')
  if (revoke !== undefined) {
    return async (database) => {
      if (await revokeToken(database, revoke, now)) return `${revoke} is revoked`
      throw new Error(`No live token has the ID ${revoke}. Run --list to see them.`)
    }
  }
  const { user: userId, role: roles, days } = newToken.parse(given)
  const expiresAt = days === undefined ? null : new Date(now.getTime() + days * 86_400_000)
  return (database) => database.transaction((tx) => issueToken(tx, { userId, roles, expiresAt }, now))
}

async function onDatabase(environment: NodeJS.ProcessEnv, work: Work): Promise<string> {
  const database = await openDatabase(readConfig(environment), () => {})
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}

function lineOf({ id, user_id, roles, expires_at, revoked_at }: TokenRow): string {
  const end = revoked_at ? `revoked ${revoked_at.toISOString()}` : expires_at?.toISOString()
  return [id, user_id, roles.join(','), end ?? 'never expires'].join('\t')
}
