import type { Secrets } from '../auth/secrets.ts'

/** What a scheme may be given. Which of them it takes depends on the scheme: others throw. @see {@link defineScheme} */
export interface SchemeOptions {
  /** The signing secret, or several while they change. */
  readonly secrets?: Secrets | undefined
  /** The sender's public key, or several: for schemes that sign with a private one. */
  readonly publicKeys?: Secrets | undefined
  /** The full URL of the endpoint as the sender writes it, where the URL is signed. Never taken from a request. */
  readonly publicUrl?: string | undefined
  /** What is claimed in the store. Each choice [gives something away](https://github.com/hookgate/hookgate/blob/main/docs/schemes.md#duplicates-and-replays). */
  readonly dedupe?: 'id' | 'signed bytes' | 'off' | undefined
  /** The text that the sender repeats in its handshake. */
  readonly verifyToken?: string | undefined
  /** Told of the secret that a handshake brings. Never awaited. */
  readonly onHandshake?: ((given: { readonly secret: string }) => unknown) | undefined
}
