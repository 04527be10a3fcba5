import { ListenerConfigError } from '../errors.ts'

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** @throws ListenerConfigError unless the URL is `https:` and carries no credentials. */
export function jwksUrl(given: string | URL, allowInsecureLoopback: boolean | undefined): URL {
  if (!URL.canParse(String(given))) throw new ListenerConfigError('url', 'is not an absolute URL')
  const url = new URL(given)
  const insecure = url.protocol === 'http:' && allowInsecureLoopback && LOOPBACK_HOST.test(url.hostname)
  if (url.protocol !== 'https:' && !insecure) {
    throw new ListenerConfigError(
      'url',
      `must be https:, not ${url.protocol}; for tests on this machine set allowInsecureLoopback`,
    )
  }
  if (url.username || url.password) throw new ListenerConfigError('url', 'must have no credentials')
  return url
}
