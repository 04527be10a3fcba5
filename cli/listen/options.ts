import { MAX_BODY_BYTES, TOLERANCE_SECONDS } from '../../src/limits.ts'
import type { CommandOptions } from '../command-line/command.ts'
import { FORWARD_OPTIONS, type ForwardValues } from '../forward/forward-options.ts'
import { INSPECTOR_OPTIONS, type InspectorValues } from '../inspector/options.ts'
import { KEY_ID_OPTION, type KeyIdValues } from '../signing/schemes.ts'

export const DEFAULT_PORT = 8787
export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_ID = 'demo'

export interface AuthValues extends KeyIdValues {
  readonly 'secret-file'?: string
  readonly jwks?: string
  readonly 'tenant-url'?: string
  readonly 'public-url'?: string
  readonly 'allow-insecure-loopback'?: boolean
}

export interface ListenValues extends AuthValues, ForwardValues, InspectorValues {
  readonly port?: string
  readonly host?: string
  readonly 'listener-id'?: string
  readonly 'allow-cidr'?: readonly string[]
  readonly tolerance?: string
  readonly 'max-body'?: string
  readonly lease?: string
  readonly store?: string
  readonly explain?: boolean
  readonly body?: boolean
  readonly json?: boolean
}

/** How to authenticate a delivery. `listen` and `verify` share these options. */
export const AUTH_OPTIONS: CommandOptions<AuthValues> = {
  scheme: {
    value: 'NAME',
    says: 'The sender: stripe, github, slack, … (default: HMAC as in the specification)',
  },
  'secret-file': { value: 'FILE', says: 'HMAC: the file with the secret (default: HOOKGATE_SECRET)' },
  'key-id': KEY_ID_OPTION,
  jwks: { value: 'FILE|URL', says: "JWT: the sender's public keys, from a file or an https URL" },
  'tenant-url': { value: 'URL', says: 'JWT: the tenant base URL, exactly as in sub' },
  'public-url': {
    value: 'URL',
    says: 'JWT: the URL that senders call, exactly as in aud, or its base. Also for schemes that sign the URL',
  },
  'allow-insecure-loopback': { says: 'JWT: also accept an http URL on this machine for --jwks.' },
}

export const LISTEN_OPTIONS: CommandOptions<ListenValues> = {
  port: { value: 'N', says: `Port; 0 picks a free one (default: ${DEFAULT_PORT})` },
  host: { value: 'ADDRESS', says: `Address to listen on (default: ${DEFAULT_HOST}, this machine only)` },
  'listener-id': { value: 'ID', says: `The last part of the path (default: ${DEFAULT_ID})` },
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
    says: 'Where events are remembered: redis://…, postgres://… or sqlite:FILE (default: memory)',
  },
  ...FORWARD_OPTIONS,
  ...INSPECTOR_OPTIONS,
  explain: { says: 'Also print why a delivery is refused and the likely mistake, on standard error.' },
  body: { says: 'Also print the payload of each accepted delivery.' },
  json: { says: 'Print deliveries as NDJSON, and nothing else on standard output.' },
}
