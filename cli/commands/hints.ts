import type { Signer } from '../signing/signer.ts'

const BY_CODE: { readonly [code: string]: string } = {
  event_duplicate: 'this event was accepted before; senders treat that as success',
  event_in_progress: 'another delivery of this event is still running; send it again after Retry-After',
  header_missing:
    "the receiver expects another sender's headers; give its sender as --scheme, or leave --scheme out for hookgate's own",
  upstream_unreachable:
    'the receiver works, but cannot reach the app behind it; start the app, then send again',
  upstream_unknown: "the app behind the receiver gave no complete response; see the app's logs",
  timestamp_out_of_range:
    "Webhook-Timestamp and the receiver's clock are more than 5 minutes apart; run NTP on both sides",
  timestamp_malformed: 'give Webhook-Timestamp in whole seconds, not milliseconds',
  event_id_not_uuid_v4: 'the event ID must be a UUID v4; leave --event-id out to get a new one',
  body_not_json: 'the body must be JSON in UTF-8',
  payload_invalid:
    "the payload does not match the receiver's schema; `detail` in the receiver's onVerdict says where",
  body_too_large:
    'the body is larger than the receiver accepts; send a smaller one, or raise its maxBodyBytes',
  listener_unknown: 'no listener has this path; copy the URL that `hookgate listen` prints',
}

const BY_STATUS: { readonly [status: number]: string } = {
  403: 'the receiver does not accept deliveries from this address; check its allowedCidrs',
  404: 'nothing listens at this path; check the URL',
  409: 'this event was accepted before; senders treat that as success',
  503: 'the receiver could not decide; send the same event again later, freshly signed',
}

const ANOTHER_SECRET =
  'the secrets differ, the body changed on the way, or the receiver expects another scheme'

const UNAUTHORIZED = {
  hmac: ANOTHER_SECRET,
  scheme: ANOTHER_SECRET,
  jwt: 'the token was refused; check the key, --tenant-url, --public-url, --expires and the body, or run the receiver with --explain',
} as const

/** One line about an answer, or undefined. Prefers the receiver's own `code` to its status. */
export function hintAbout(status: number, body: string, method: Signer['method']): string | undefined {
  const code = problemCode(body)
  if (code !== undefined && Object.hasOwn(BY_CODE, code)) return BY_CODE[code]
  if (status === 401) return UNAUTHORIZED[method]
  if (status >= 300 && status < 400) return 'redirects are not followed; send to the final URL'
  return BY_STATUS[status]
}

/** `code` of a problem+json body. */
function problemCode(body: string): string | undefined {
  try {
    const { code } = Object(JSON.parse(body))
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}
