import { MAX_BODY_BYTES, TOLERANCE_SECONDS } from '../../src/limits.ts'
import type { OptionRows, ValuesOf } from '../command-line/command.ts'
import { FORWARD_OPTIONS } from '../forward/forward-options.ts'
import { INSPECTOR_OPTIONS } from '../inspector/options.ts'
import { SECRET_OPTIONS } from '../signing/schemes.ts'

export const DEFAULT_PORT = 8787
export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_ID = 'demo'

/** How to authenticate a delivery. `listen` and `verify` share these options. */
export const AUTH_OPTIONS = {
  scheme: {
    value: 'NAME',
    says: 'The sender: stripe, github, slack, … (default: HMAC as in the specification)',
  },
  ...SECRET_OPTIONS,
  'verify-token-file': {
    value: 'FILE',
    says: "The verify token of Meta's subscription (default: HOOKGATE_VERIFY_TOKEN)",
  },
  jwks: { value: 'FILE|URL', says: "JWT: the sender's public keys, from a file or an https URL" },
  'tenant-url': { value: 'URL', says: 'JWT: the tenant base URL, exactly as in sub' },
  'public-url': {
    value: 'URL',
    says: 'JWT: the URL that senders call, exactly as in aud, or its base. Also for schemes that sign the URL',
  },
  'allow-insecure-loopback': { says: 'JWT: also accept an http URL on this machine for --jwks.' },
} satisfies OptionRows

export type AuthValues = ValuesOf<typeof AUTH_OPTIONS>

export const LISTEN_OPTIONS = {
  port: { value: 'N', says: `Port; 0 picks a free one (default: ${DEFAULT_PORT})` },
  host: { value: 'ADDRESS', says: `Address to listen on (default: ${DEFAULT_HOST}, this machine only)` },
  path: { value: 'PATH', says: 'Answer only this path, e.g. /webhooks/stripe (default: every path)' },
  'listener-id': { value: 'ID', says: `Events are remembered under this name (default: ${DEFAULT_ID})` },
  ...AUTH_OPTIONS,
  'allow-cidr': { value: 'RULE', many: true, says: 'A network that may send, e.g. 192.0.2.0/24; repeatable' },
  tolerance: {
    value: 'SECONDS',
    says: `How far the timestamp may be off (default: ${TOLERANCE_SECONDS}, or the scheme's)`,
  },
  'max-body': {
    value: 'SIZE',
    says: `Largest body, e.g. 64kb or 1mb (default: ${MAX_BODY_BYTES}, or the scheme's)`,
  },
  lease: {
    value: 'SECONDS',
    says: "How long an unsettled event cannot run again (default: 60, or the scheme's)",
  },
  store: {
    value: 'URL',
    says: 'Where events are remembered: redis://…, postgres://…, mysql://… or sqlite:FILE (default: memory)',
  },
  ...FORWARD_OPTIONS,
  ...INSPECTOR_OPTIONS,
  explain: { says: 'Also print why a delivery is refused and the likely mistake, on standard error.' },
  body: { says: 'Also print the payload of each accepted delivery.' },
  json: { says: 'Print deliveries as NDJSON, and nothing else on standard output.' },
} satisfies OptionRows

export type ListenValues = ValuesOf<typeof LISTEN_OPTIONS>
