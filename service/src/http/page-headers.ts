/**
 * The security headers of each page. Scripts and styles load only from this service, never inline. Framing is
 * forbidden, and no referrer is sent.
 *
 * @param connects Additional origins that the page's scripts may request.
 */
export function pageHeaders(...connects: readonly string[]): Record<string, string> {
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ['data:'],
    'connect-src': ["'self'", ...connects],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  const directives = Object.entries(policy).map(([name, sources]) => [name, ...sources].join(' '))
  return {
    'content-security-policy': directives.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
