import { ListenerConfigError } from '../errors.ts'
import { textOf } from '../lib/member-of.ts'

/** Checks of the options that all functions of this folder take. */

export function anApi(value: unknown, option: string): void {
  if (/^https:\/\//.test(textOf(value, 'baseUrl') ?? '')) return
  const isUncalled = typeof value === 'function'
  throw new ListenerConfigError(
    option,
    isUncalled ? 'is a function; call it' : 'must be one of hookgate/management/…',
  )
}

export function aUrl(value: unknown, option: string): void {
  if (typeof value === 'string' && URL.canParse(value)) return
  throw new ListenerConfigError(option, 'must be the whole URL of your endpoint, as the sender knows it')
}
