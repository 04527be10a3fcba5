import { ListenerConfigError } from '../errors.ts'
import { textOf } from '../lib/member-of.ts'
import type { ManagementApi } from './api.ts'
import type { Mode } from './missed.ts'

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

/** A sender whose API knows no modes would show its live events as those of the test mode. */
export function checkMode({ endpoints, sender }: ManagementApi, mode: Mode): void {
  if (mode === 'live' || endpoints.live !== undefined) return
  throw new ListenerConfigError('mode', `is not for ${sender}, whose API has one mode only`)
}

/** The base URL of a sender that runs on hosts of its users. */
export function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (url?.protocol === 'https:' && isPlain && !baseUrl.endsWith('/')) return baseUrl
  throw new ListenerConfigError(
    'baseUrl',
    'must be an https URL without a user, a query or a slash at its end',
  )
}
