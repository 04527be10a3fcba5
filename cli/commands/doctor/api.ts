import { withDeadline } from '../../../src/lib/clock.ts'
import { isA } from '../../../src/lib/member-of.ts'
import type { ManagementApi } from '../../../src/management/api.ts'
import { ManagementError } from '../../../src/management/errors.ts'
import { inspect } from '../../../src/management/inspect.ts'
import type { OptionRows, ValuesOf } from '../../command-line/command.ts'
import { EXIT, UsageError } from '../../command-line/exit.ts'
import { toUsageError } from '../../command-line/values.ts'
import { API_OPTIONS, readSenderApi } from '../../lib/sender-api.ts'
import { findGiven } from '../../signing/secrets.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export const API_CHECK_OPTIONS = {
  types: {
    value: 'A,B',
    says: 'The types that your code handles, as the keys of route(): invoice.*',
  },
  'api-version': { value: 'TEXT', says: 'The API version that your code expects' },
  ...API_OPTIONS,
} satisfies OptionRows

type Given = ValuesOf<typeof API_CHECK_OPTIONS> & {
  readonly scheme?: string
  readonly url?: string
  readonly 'secret-file'?: readonly string[]
}

/** What the sender has registered, beside what is expected. @throws UsageError */
export async function checkApi(given: Given): Promise<readonly (Finding & { readonly id: string })[]> {
  const { api, token, url, mode } = await readSenderApi(given)
  const secrets = await secretsOf(given['secret-file'], api)
  const types = given.types?.split(',').flatMap((type) => type.trim() || [])
  try {
    const inspected = inspect({ api, token, url, mode, types, secrets, version: given['api-version'] })
    const found = await withDeadline(inspected, MOST_MS, () => late(api.sender))
    if (found.length === 0) return [{ id: 'api', ...ok(`${api.sender} has this endpoint as it should be`) }]
    // What only '*' handles costs a request.
    return found.map(({ what, seen, fix }) => ({
      id: `api.${what}`,
      ...(what === 'unhandled' ? warn(seen, fix) : fail(seen, fix)),
    }))
  } catch (error) {
    if (!isA(error, ManagementError)) throw toUsageError(error, '--api')
    return [{ id: 'api', ...fail(error.message, fixOf(error)) }]
  }
}

/** Undefined if there are none, or if the sender shows none to compare them with. @throws UsageError */
async function secretsOf(
  files: readonly string[] | undefined,
  { endpoints, scheme }: ManagementApi,
): Promise<readonly string[] | undefined> {
  if (endpoints.secret === undefined && files)
    throw new UsageError(`--secret-file is not for --api --scheme ${scheme}: its API shows no secret`)
  if (endpoints.secret === undefined) return undefined
  const found = await Promise.all((files ?? [undefined]).map(findGiven))
  const secrets = found.filter((text): text is string => text !== undefined && text !== '')
  return secrets.length === 0 ? undefined : secrets
}

/** An alarm must ring, also if the sender's answers never end. */
const MOST_MS = 300_000
/** What asks on gets no longer to end by itself. */
const LAST_MS = 500

function late(sender: string): ManagementError {
  setTimeout(() => process.exit(EXIT.refused), LAST_MS).unref()
  return new ManagementError('ERR_API_ANSWER', `${sender} has not answered everything within 300 s`)
}

function fixOf({ code, message }: ManagementError): string {
  if (code === 'ERR_API_TOKEN') return 'give such a token'
  if (code === 'ERR_API_ENDPOINT') return 'correct --mode, or give a token of that mode'
  return message.includes('has status 404') ? 'correct --of, or give such a token' : 'try again'
}
