import type { WantedClaims } from '../../src/explain/index.ts'
import { httpUrl } from '../command-line/values.ts'

const INCOMING = '/api/v1/webhooks/incoming/'

export function pathOf(listenerId: string): string {
  return `${INCOMING}${encodeURIComponent(listenerId)}`
}

/**
 * The `aud` and `sub` of a token for this endpoint. Receivers compare them as text, so options are used exactly as given.
 * `--public-url` may be the full URL, or a base without the path.
 */
export function endpointOf(
  url: string,
  given: { readonly 'public-url'?: string | undefined; readonly 'tenant-url'?: string | undefined },
): WantedClaims {
  const { 'public-url': publicUrl, 'tenant-url': tenantUrl } = given
  if (publicUrl !== undefined) httpUrl('--public-url', publicUrl)
  if (tenantUrl !== undefined) httpUrl('--tenant-url', tenantUrl)
  const audience = publicUrl === undefined ? url : withPath(publicUrl, new URL(url).pathname)
  return { audience, subject: tenantUrl ?? baseOf(audience) }
}

function withPath(publicUrl: string, path: string): string {
  return path === '/' || publicUrl.endsWith(path) ? publicUrl : `${publicUrl.replace(/\/+$/, '')}${path}`
}

function baseOf(endpoint: string): string {
  const start = endpoint.indexOf(INCOMING)
  return start === -1 ? new URL(endpoint).origin : endpoint.slice(0, start)
}
