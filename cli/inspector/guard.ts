import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Whether to refuse a request because it does not come from this page. Any page in the same browser can reach this port, under
 * any name that resolves to loopback. So the host must be one of ours (DNS rebinding), and the request must be same-origin.
 * `same-site` is refused too: all ports of localhost share a site.
 */
export function turnedAway({ headers }: IncomingMessage, port: number): boolean {
  const { host, 'sec-fetch-site': site = 'none' } = headers
  const isOurName = host === `127.0.0.1:${port}` || host === `localhost:${port}`
  return !isOurName || !['none', 'same-origin'].includes(site)
}

/** Whether the request has the token, as `Authorization: Bearer`. Never a cookie: all ports of localhost share cookies. */
export function showsToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

/** Headers of every response. Only this server's files may run in the page or be fetched by it, and nothing may frame it. */
export const SAFE_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}
