import { textOf } from '../../lib/member-of.ts'
import { answerIn, answering, POSTGRES } from '../answer.ts'
import type { StoreProblem } from '../contract.ts'
import type { RunStatement } from './client.ts'
import { quotedTable } from './statements.ts'

/** What changes the events in a table, or what happens when they change. In the order of a report. */
const RIGHTS = `ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']`

/** What hosts give their customers in place of a superuser. */
const SUPERUSERS = `'rds_superuser', 'cloudsqlsuperuser', 'alloydbsuperuser', 'azure_pg_admin', 'neon_superuser'`

/**
 * Who may write to the table, beside those who are trusted with it. `$1` is the quoted table, `$2` the names of roles in JSON.
 *
 * Neither views nor functions are looked at, nor who may CREATE in the schema, which changes no table that is there. No policy is
 * evaluated: one that applies to a role may let it write.
 *
 * - `trusted`: the owner, the current role, superusers and the roles of `$2`. A member of one can act as that one.
 * - `strangers`: all other roles, and everyone, as `0`.
 * - `allowed`: what the schema and row level security let strangers do, if it were granted. Neither TRUNCATE nor TRIGGER asks for policies.
 * - `usable`: the grants, of the table or its columns, that a stranger can use.
 * - `lent`: what the current role has by its groups alone. To take it from the group would stop the current role, so `ways` lead from
 *   there to the other members. They lead from `pg_write_all_data`, too, which no REVOKE takes anything from.
 */
const WRITERS = answering(
  `SELECT coalesce(json_agg(found ORDER BY who, mend), '[]')::text FROM found`,
  `kept AS (
  SELECT pg_class.oid AS id, relowner AS owner, relnamespace AS schema, relacl AS acl, relrowsecurity AS is_guarded,
    format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass($1::text)::oid
), roles AS (
  SELECT oid AS id, rolname::text AS name, quote_ident(rolname) AS quoted, rolsuper AS is_super, rolbypassrls AS is_unguarded FROM pg_roles
  UNION ALL SELECT 0, NULL, 'PUBLIC', FALSE, FALSE
), me AS (
  SELECT * FROM roles WHERE name = current_user
), trusted AS (
  SELECT owner AS id FROM kept UNION SELECT id FROM me
  UNION SELECT id FROM roles WHERE is_super OR name IN (${SUPERUSERS}) OR name IN (SELECT jsonb_array_elements_text($2::text::jsonb))
), strangers AS (
  SELECT * FROM roles WHERE id = 0 OR NOT EXISTS (SELECT FROM trusted WHERE pg_has_role(roles.id, trusted.id, 'MEMBER'))
), allowed AS (
  SELECT strangers.id, may FROM kept, strangers, unnest(${RIGHTS}) AS may
  WHERE has_schema_privilege(strangers.id, schema, 'USAGE') AND (NOT is_guarded OR is_unguarded OR may IN ('TRUNCATE', 'TRIGGER')
    OR EXISTS (SELECT FROM pg_policy, unnest(polroles) AS to_role WHERE polrelid = kept.id AND polpermissive
      AND polcmd::text IN ('*', CASE may WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w' ELSE 'd' END)
      AND (to_role = 0 OR strangers.id <> 0 AND pg_has_role(strangers.id, to_role, 'MEMBER'))))
), grants AS (
  SELECT grantee, grantor, privilege_type AS may, bool_or(is_grantable) AS is_grantable
  FROM kept, LATERAL (
    SELECT * FROM aclexplode(acl)
    UNION ALL SELECT acl.* FROM pg_attribute, aclexplode(attacl) AS acl WHERE attrelid = kept.id AND NOT attisdropped
  ) AS entry
  WHERE privilege_type = ANY (${RIGHTS}) GROUP BY grantee, grantor, privilege_type
), usable AS (
  SELECT * FROM grants WHERE EXISTS (SELECT FROM allowed WHERE allowed.may = grants.may
    AND (grantee IN (0, allowed.id) OR allowed.id <> 0 AND pg_has_role(allowed.id, grantee, 'MEMBER')))
), lent AS (
  SELECT usable.grantee AS id, usable.may FROM usable JOIN roles ON roles.id = grantee, kept, me
  WHERE grantee <> 0 AND roles.name NOT IN ('anon', 'authenticated') AND pg_has_role(me.id, grantee, 'USAGE')
    AND NOT pg_has_role(me.id, owner, 'USAGE') AND NOT EXISTS (SELECT FROM grants WHERE grantee = me.id)
  UNION SELECT id, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) FROM strangers WHERE name = 'pg_write_all_data'
), ways AS (
  SELECT id AS origin, may, id AS through FROM lent
  UNION SELECT lent.id, may, strangers.id FROM lent, me, strangers
  WHERE NOT me.is_super AND strangers.id <> 0 AND pg_has_role(strangers.id, lent.id, 'MEMBER') AND pg_has_role(me.id, strangers.id, 'MEMBER')
), told AS (
  SELECT grantee, grantor, string_agg(may, ', ' ORDER BY place) AS may, bool_or(is_grantable) AS is_grantable
  FROM usable JOIN unnest(${RIGHTS}) WITH ORDINALITY AS ordered (may, place) USING (may)
  WHERE grantee NOT IN (SELECT id FROM lent) GROUP BY grantee, grantor
), found AS (
  SELECT quoted AS who, may, NULL AS through, CASE grantor
    WHEN owner THEN format('REVOKE %s ON TABLE %s FROM %s%s', may, kept.name, quoted, CASE WHEN is_grantable THEN ' CASCADE' END)
    ELSE format('REVOKE GRANT OPTION FOR %s ON TABLE %s FROM %I CASCADE', may, kept.name, pg_get_userbyid(grantor)) END AS mend
  FROM told JOIN roles ON roles.id = grantee, kept
  UNION ALL
  SELECT strangers.quoted, string_agg(DISTINCT may, ', '), roles.quoted, format('REVOKE %s FROM %s%s', roles.quoted, strangers.quoted,
    CASE WHEN current_setting('server_version_num')::int >= 160000 AND grantor <> 10 THEN format(' GRANTED BY %I', pg_get_userbyid(grantor)) END)
  FROM ways JOIN roles ON roles.id = through JOIN pg_auth_members AS membership ON roleid = through JOIN strangers ON strangers.id = member
  WHERE NOT EXISTS (SELECT FROM ways AS other WHERE other.origin = ways.origin AND other.through = member)
    AND coalesce((to_jsonb(membership)->>'inherit_option')::boolean OR (to_jsonb(membership)->>'set_option')::boolean, TRUE)
    AND EXISTS (SELECT FROM allowed WHERE allowed.may = ways.may AND allowed.id <> 0 AND pg_has_role(allowed.id, member, 'MEMBER'))
  GROUP BY strangers.quoted, roles.quoted, grantor
)`,
)

/**
 * Lists the roles that may write to the table though nobody says that they should: each where it got that from.
 *
 * @param writers The roles that may.
 */
export async function strangersIn(
  run: RunStatement,
  table: string,
  writers: readonly string[],
): Promise<readonly StoreProblem[]> {
  const answer = answerIn(await run(WRITERS, [quotedTable(table).table, JSON.stringify(writers)]), POSTGRES)
  const found: unknown = JSON.parse(answer)
  return Array.isArray(found) ? found.map(problemOf) : []
}

function problemOf(found: unknown): StoreProblem {
  const [who, may, through, mend] = ['who', 'may', 'through', 'mend'].map((name) => textOf(found, name))
  const subject = who === 'PUBLIC' ? 'every role (PUBLIC)' : `the role ${who}`
  const by = through === undefined ? '' : `, as a member of ${through}`
  return {
    problem: `${subject} may ${may} on the table${by}: it decides which events run. If it should, name it in check({ writers })`,
    fix: `${mend}`,
  }
}
