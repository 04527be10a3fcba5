import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RULES } from '../../cli/commands/conform/case.ts'
import { checkOutcomes } from '../../src/explain/check-outcomes.ts'
import { SPECIFICATION } from '../../src/protocol.ts'
import { STATUS } from '../../src/reason.ts'
import { WRONG_PARTS } from '../../src/testing/wrong-parts.ts'
import { WRONG_REQUESTS } from '../../src/testing/wrong-requests.ts'
import { CHECKS } from '../../src/verify.ts'
import { hmacListener } from '../support/hmac-listener.ts'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')

const files = readdirSync(at('src/checks')).map((file) => file.replace('.ts', ''))

/** Reasons that depend on how the receiver is configured, or on a header that is sent twice. */
const NO_MUTATION = ['source_ip_not_allowed', 'payload_invalid', 'header_repeated']

/** Reasons that no check gives for hookgate's scheme: those of other senders, of adapters, of methods and of the claim. */
const ELSEWHERE = [
  'content_type_not_accepted',
  'body_malformed',
  'event_id_malformed',
  'body_incomplete',
  'auth_missing',
  'signature_mismatch',
  'token_invalid',
  'token_expired',
  'event_duplicate',
  'event_in_progress',
]

/** The keys of a record, which TypeScript knows only as strings. */
const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as Key[] // the keys of a record of them

const ANY = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ value: null }) },
} as const

/** The reasons that the checks give for hookgate's scheme. */
const reasons = keysOf(STATUS).filter((reason) => !ELSEWHERE.includes(reason))

it.each(keysOf(CHECKS))(
  'the order "%s" has every check once, with a name, beside the handshakes',
  (order) => {
    const listener = { ...hmacListener({ payload: ANY }).listener, protocol: { ...SPECIFICATION, order } }
    const names = checkOutcomes({ ok: true }, listener).map(({ name }) => name)
    const expected = files.filter((name) => name !== 'handshake').concat('claim')
    const places = 'both orders of CHECKS in src/verify.ts, and NAMES in src/explain/check-outcomes.ts'
    expect(names.toSorted(), `put each check into ${places}`).toEqual(expected.toSorted())
  },
)

const places = 'src/testing/wrong-parts.ts (signed again) or src/testing/wrong-requests.ts'
const here = 'NO_MUTATION in test/repo/checks.test.ts if it depends on the options of the receiver'

it.each(reasons.filter((reason) => !NO_MUTATION.includes(reason)))(
  'the reason %s has a mutation, and a rule for `hookgate conform`',
  (reason) => {
    const changed = [...WRONG_PARTS, ...WRONG_REQUESTS].some((change) => change.reason === reason)
    expect(changed, `add a change with the reason ${reason} to ${places}, or ${reason} to ${here}`).toBe(true)
    expect(RULES, `add ${reason} to RULES in cli/commands/conform/case.ts`).toHaveProperty(reason)
  },
)

it.each(reasons.filter((reason) => reason !== 'payload_invalid'))(
  'the second implementation knows the reason %s',
  (reason) => {
    const path = 'test/oracle/python/verdict.py'
    expect(read(path).includes(`"${reason}"`), `add ${reason} to STATUSES in ${path}`).toBe(true)
  },
)
