import { ListenerConfigError } from '../errors.ts'

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** @throws ListenerConfigError unless the URL is `https:` and carries no credentials. */
export function jwksUrl(given: string | URL, allowInsecureLoopback: boolean | undefined): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined
  const insecure = url?.protocol === 'http:' && allowInsecureLoopback && LOOPBACK_HOST.test(url.hostname)
  if (url?.protocol !== 'https:' && !insecure) {
    throw new ListenerConfigError('url', 'must be https:, or set allowInsecureLoopback')
  }
  if (url.username || url.password) throw new ListenerConfigError('url', 'must have no credentials')
  return url
}
