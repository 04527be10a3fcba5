/**
 * What browsers are told about each page: scripts and styles come from files of this service only, nothing is inline, nobody
 * frames it, and no address is passed on.
 *
 * @param connects Origins that its scripts may ask besides its own.
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
