import type { Secrets } from '../auth/secrets.ts'

/** The options of all schemes. Each scheme throws for those that it does not take. @see {@link defineScheme} */
export interface SchemeOptions {
  /** The signing secret, or several during a rotation. */
  readonly secrets?: Secrets | undefined
  /** The sender's public key, or several during a rotation. For schemes that sign with a private key. */
  readonly publicKeys?: Secrets | undefined
  /**
   * The full URL of the endpoint, exactly as the sender knows it. For schemes that sign the URL. Never taken from a
   * request.
   */
  readonly publicUrl?: string | undefined
  /**
   * What identifies an event in the store. Each choice [has a
   * drawback](https://github.com/hookgate/hookgate/blob/main/docs/schemes.md#duplicates-and-replays).
   */
  readonly dedupe?: 'id' | 'signed bytes' | 'off' | undefined
  /**
   * Topics that you receive besides those that the sender documents. Events of two topics may have the same body, so the
   * topic is part of what is claimed. An unknown topic is not, because the topic is not signed.
   */
  readonly topics?: readonly string[] | undefined
  /** The token that the sender repeats in its handshake. */
  readonly verifyToken?: string | undefined
  /** Called with the secret that a handshake delivers. Never awaited. */
  readonly onHandshake?: ((given: { readonly secret: string }) => unknown) | undefined
}
