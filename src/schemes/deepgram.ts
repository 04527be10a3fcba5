import { basicScheme } from './kit/basic-credentials.ts'
import { ANY_BODY } from './kit/body-formats.ts'
import type { CodeSchemeFactory, SharedSecretOptions } from './kit/define-scheme.ts'

/**
 * Verifies callbacks from Deepgram by HTTP Basic authentication, with a user and a password that you choose. Write them into the
 * `callback` URL of your request, `https://user:password@example.com/hooks`, and pass `user:password` as `secrets`, without
 * percent-encoding. Since October 2026, Deepgram no longer supports the `dg-token` header for this, so it is not read.
 *
 * Nothing is signed, and anyone who has seen the password can send anything. Deliveries are claimed by their bodies, because all
 * callbacks of a stream share its `request_id`. `event.payload` is the parsed JSON, or else the text, or null for audio: read that
 * from `event.rawBody`. With `callback_method=put`, deliveries are refused.
 *
 * @example
 * ```ts
 * const auth = deepgram({ secrets: process.env.DEEPGRAM_USER_AND_PASSWORD })
 * ```
 */
export const deepgram: CodeSchemeFactory<SharedSecretOptions> = basicScheme({
  name: 'deepgram',
  sender: 'Deepgram',
  secretName: 'user:password, as the callback URL has them',
  secretMadeBy: 'user',
  content: [ANY_BODY],
  maxBodyBytes: 16_777_216, // a transcript has an object for each word, and Deepgram documents no size
  maxRunSeconds: 240, // of the 300 s in which Deepgram retries
  facts: {
    unsigned:
      'Deepgram authenticates only if the callback URL has credentials: write them into it, https://user:password@…',
  },
})
