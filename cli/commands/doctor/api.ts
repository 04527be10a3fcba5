import { isA } from '../../../src/lib/member-of.ts'
import { ManagementError } from '../../../src/management/errors.ts'
import { inspect } from '../../../src/management/inspect.ts'
import type { OptionRows, ValuesOf } from '../../command-line/command.ts'
import { API_OPTIONS, readSenderApi } from '../../lib/sender-api.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export const API_CHECK_OPTIONS = {
  types: {
    value: 'A,B',
    says: 'With --api: the types that your code handles, as the keys of route(): invoice.*',
  },
  'api-version': { value: 'TEXT', says: 'With --api: the API version that your code expects' },
  ...API_OPTIONS,
} satisfies OptionRows

type Given = ValuesOf<typeof API_CHECK_OPTIONS> & { readonly scheme?: string; readonly url?: string }

/** What the sender has registered, beside what is expected. @throws UsageError */
export async function checkApi(given: Given): Promise<readonly (Finding & { readonly id: string })[]> {
  const { api, token, url, mode } = await readSenderApi(given)
  const types = given.types?.split(',').flatMap((type) => type.trim() || [])
  try {
    const found = await inspect({ api, token, url, mode, types, version: given['api-version'] })
    if (found.length === 0) return [{ id: 'api', ...ok(`${api.sender} has this endpoint as it should be`) }]
    // What only '*' handles costs a request.
    return found.map(({ what, seen, fix }) => ({
      id: `api.${what}`,
      ...(what === 'unhandled' ? warn(seen, fix) : fail(seen, fix)),
    }))
  } catch (error) {
    if (!isA(error, ManagementError)) throw error
    const isToken = error.code === 'ERR_API_TOKEN'
    return [{ id: 'api', ...fail(error.message, isToken ? 'give such a token' : 'try again') }]
  }
}
