import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Whether a request is not this page's own. Another page in the same browser can reach this port,
 * under any name that resolves to loopback: so the host must be ours by name (DNS rebinding), and a request that another site
 * or another port of this machine made is refused. `same-site` counts as another: ports of localhost share a site.
 */
export function turnedAway({ headers }: IncomingMessage, port: number): boolean {
  const { host, 'sec-fetch-site': site = 'none' } = headers
  const isOurName = host === `127.0.0.1:${port}` || host === `localhost:${port}`
  return !isOurName || !['none', 'same-origin'].includes(site)
}

/** Whether the request shows the token, as `Authorization: Bearer`. Never a cookie: all ports of localhost share those. */
export function showsToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

/** On every answer. Nothing may frame the page, run in it, or be fetched by it but what comes from this server. */
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
