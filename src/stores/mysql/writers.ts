import { answersAmong, MYSQL } from '../answer.ts'
import type { StoreProblem } from '../contract.ts'
import { ERRORS, isServerError, type RunStatement, textsIn } from './client.ts'
import { ending, tableOf } from './statements.ts'

/** What changes the events in a table, or what happens when they change. In the order of a report. TRUNCATE asks for DROP. */
const RIGHTS = ['INSERT', 'UPDATE', 'DELETE', 'DROP', 'TRIGGER']

/** What an account may do, and where: in a table, a database or everywhere, as SQL names it. */
interface Grants {
  readonly grantee: string
  readonly where: string
  readonly rights: Set<string>
}

/**
 * Lists the accounts and roles that may write to the table though nobody says that they should, as far as the server shows them: a user
 * without `SELECT` on the database `mysql` sees its own grants only. Leaves out accounts with SUPER, this one, and its enabled roles.
 *
 * @param writers The users and roles that may, as `name` or `name@host`.
 */
export async function strangersIn(
  run: RunStatement,
  table: string,
  writers: readonly string[],
): Promise<readonly StoreProblem[]> {
  const roles = await enabledRoles(run)
  const texts = answersAmong(textsIn(await run(ending(questionOf(table)), [])), MYSQL)
  const [me] = valuesOf(texts, 'me')
  const superusers = valuesOf(texts, 'super')
  const isTrusted = (grantee: string) => {
    const [user, host] = partsOf(grantee)
    const names = [user, `${user}@${host}`]
    return (
      superusers.includes(grantee) ||
      names[1] === me ||
      roles.includes(user) ||
      names.some((name) => writers.includes(name))
    )
  }
  const grants = new Map<string, Grants>()
  for (const entry of valuesOf(texts, 'grant')) {
    const [where, grantee, right]: readonly [string, string, string] = JSON.parse(entry)
    if (isTrusted(grantee)) continue
    const key = `${grantee} ${where}`
    const known = grants.get(key) ?? { grantee, where, rights: new Set() }
    grants.set(key, { ...known, rights: known.rights.add(right) })
  }
  return [...grants.values()].map(problemOf)
}

function problemOf({ grantee, where, rights }: Grants): StoreProblem {
  const who = quoted(grantee)
  const may = RIGHTS.filter((right) => rights.has(right)).join(', ')
  return {
    problem: `${who} may ${may} on ${where}: it decides which events run. If it should, name it in check({ writers })`,
    fix: `REVOKE ${may} ON ${where} FROM ${who}`,
  }
}

/** The names of the grantee `'user'@'host'`, which the server writes without escaping. Roles of MariaDB and PUBLIC have no host. */
function partsOf(grantee: string): readonly [user: string, host: string] {
  const [, user = '', host = ''] = /^'(.*)'@'(.*)'$/s.exec(grantee) ?? []
  return [user, host]
}

function quoted(grantee: string): string {
  const [user, host] = partsOf(grantee)
  if (host === '') return user === 'PUBLIC' ? user : identifier(user)
  return `${identifier(user)}@${identifier(host)}`
}

const identifier = (name: string) => `\`${name.replaceAll('`', '``')}\``

const valuesOf = (texts: readonly string[], name: string) =>
  texts.filter((text) => text.startsWith(`${name}=`)).map((text) => text.slice(name.length + 1))

/** Privileges of a database have a pattern in place of its name. */
function questionOf(table: string): string {
  const { name, database } = tableOf(table)
  const schema = database === undefined ? 'DATABASE()' : `'${database}'`
  const sqlName = (column: string) => `CONCAT('\`', REPLACE(${column}, '\`', '\`\`'), '\`')`
  const grants = (source: string, where: string, condition: string) =>
    `SELECT CONCAT('grant=', JSON_ARRAY(${where}, GRANTEE, PRIVILEGE_TYPE)) AS finding FROM information_schema.${source}
WHERE ${condition} AND PRIVILEGE_TYPE IN ('${RIGHTS.join("', '")}')`
  const ofTable = `TABLE_SCHEMA = ${schema} AND TABLE_NAME = '${name}'`
  const tablePath = `CONCAT(${sqlName('TABLE_SCHEMA')}, '.', ${sqlName('TABLE_NAME')})`
  return `SELECT CONCAT('me=', CURRENT_USER()) AS finding
UNION ALL SELECT CONCAT('super=', GRANTEE) FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'SUPER'
UNION ALL ${grants('TABLE_PRIVILEGES', tablePath, ofTable)}
UNION ALL ${grants('COLUMN_PRIVILEGES', tablePath, ofTable)}
UNION ALL ${grants('SCHEMA_PRIVILEGES', `CONCAT(${sqlName('TABLE_SCHEMA')}, '.*')`, `${schema} LIKE TABLE_SCHEMA`)}
UNION ALL ${grants('USER_PRIVILEGES', "'*.*'", 'TRUE')}`
}

/** None before MySQL 8.0.19. */
async function enabledRoles(run: RunStatement): Promise<readonly string[]> {
  try {
    const roles = "SELECT CONCAT('role=', ROLE_NAME) AS finding FROM information_schema.ENABLED_ROLES"
    return valuesOf(answersAmong(textsIn(await run(ending(roles), [])), MYSQL), 'role')
  } catch (error) {
    if (isServerError(error, ERRORS.UNKNOWN_TABLE)) return []
    throw error
  }
}
