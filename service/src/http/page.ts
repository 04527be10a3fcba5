import { readFile } from 'node:fs/promises'
import type { Router } from './router.ts'

export const ASSETS: URL = new URL('../../assets/', import.meta.url)

/**
 * The security headers of each page. Scripts and styles load only from this service, never inline. Framing is
 * forbidden, and no referrer is sent.
 *
 * @param connects Additional origins that the page's scripts may request.
 */
export function pageHeaders(...connects: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    ["connect-src 'self'", ...connects].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

/** Serves a script or style of a page. Needs no token. */
export function serveFile(app: Router, path: string, type: 'text/css' | 'text/javascript', file: URL): void {
  const headers = { ...pageHeaders(), 'content-type': `${type}; charset=utf-8` }
  app.get(path, async (c) => c.body(await readFile(file, 'utf8'), 200, headers))
}
