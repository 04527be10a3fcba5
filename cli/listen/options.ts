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
    says: "The sender: stripe, github, …; hookgate schemes lists them (default: hookgate's own way of signing)",
  },
  ...SECRET_OPTIONS,
  'verify-token-file': {
    value: 'FILE',
    says: "The verify token of Meta's subscription (default: HOOKGATE_VERIFY_TOKEN)",
  },
  jwks: { value: 'FILE|URL', says: "The sender's public keys: a JWKS in a file, or its https URL" },
  'tenant-url': { value: 'URL', says: "The tenant's base URL, exactly as in the token's sub" },
  'public-url': {
    value: 'URL',
    says: "The URL that the sender calls, if the sender signs it or a token's aud names it (default: the address here)",
  },
  'allow-insecure-loopback': { says: 'Also accept an http URL on this machine for --jwks' },
} satisfies OptionRows

export type AuthValues = ValuesOf<typeof AUTH_OPTIONS>

export const LISTEN_OPTIONS = {
  port: { value: 'N', says: `Port; 0 picks a free one (default: ${DEFAULT_PORT})` },
  host: { value: 'ADDRESS', says: `Address to listen on (default: ${DEFAULT_HOST}, this machine only)` },
  path: { value: 'PATH', says: 'Answer only this path (default: every path)' },
  health: { value: 'PATH', says: 'Answer 200 to a GET of this path (default: none)' },
  'listener-id': { value: 'ID', says: `The name under which events are remembered (default: ${DEFAULT_ID})` },
  ...AUTH_OPTIONS,
  'allow-cidr': { value: 'RULE', many: true, says: 'A network that may send, e.g. 192.0.2.0/24; repeatable' },
  tolerance: {
    value: 'SECONDS',
    says: `How far the signed time may be off (default: ${TOLERANCE_SECONDS}, or the sender's)`,
  },
  'max-body': {
    value: 'SIZE',
    says: `Largest body, e.g. 64kb or 1mb (default: ${MAX_BODY_BYTES}, or the sender's)`,
  },
  lease: {
    value: 'SECONDS',
    says: "How long an unfinished event stays locked (default: 60, or the sender's)",
  },
  store: {
    value: 'URL',
    says: 'Where events are remembered: redis://…, sqlite:FILE, … (default: HOOKGATE_STORE, or memory)',
  },
  ...FORWARD_OPTIONS,
  ...INSPECTOR_OPTIONS,
  explain: { says: 'Also print the likely mistake of each refusal' },
  body: { says: 'Also print the payload of each accepted delivery' },
  json: { says: 'Print each delivery as a line of JSON' },
} satisfies OptionRows

export type ListenValues = ValuesOf<typeof LISTEN_OPTIONS>
