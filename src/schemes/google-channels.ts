import { headerOf } from '../delivery.ts'
import { EMPTY_OR_ANY } from './kit/body-formats.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies push notifications of Google's channels, as Google Calendar and Google Drive send them, by their
 * `X-Goog-Channel-Token` header. The token is the `token` that you passed to `watch`. Nothing is signed, and anyone who has seen the
 * token can send anything, so fetch what has changed from the API.
 *
 * Bodies are empty: the headers say what has changed, and `event.payload` is null. `event.type` is `X-Goog-Resource-State`:
 * `sync` for the first message of a channel. Deliveries are claimed by their channel and message number.
 *
 * @example
 * ```ts
 * const auth = googleChannels({ secrets: process.env.GOOGLE_CHANNEL_TOKEN })
 * ```
 */
export const googleChannels: SchemeFactory<SecretOptions, 'x-goog-resource-state'> = schemeOf(
  {
    name: 'google-channels',
    sender: 'Google Calendar and Drive (push notifications)',
    secretName: 'token that you passed to watch',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['x-goog-channel-token'] },
    signs: '{body}',
    dedupe: 'id',
    eventId: { header: 'x-goog-message-number' },
    // The numbers of each channel begin with 1.
    claimedId: (id, { delivery }) => id && `${headerOf(delivery, 'x-goog-channel-id') ?? ''}\n${id}`,
    bodiesRepeat: true,
    eventType: { header: 'x-goog-resource-state' },
    content: [EMPTY_OR_ANY],
    maxBodyBytes: 65_536,
    facts: {
      unsigned: 'Google sends a token only if the channel has one: pass it to watch as token',
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { tokens: TOKENS },
)
