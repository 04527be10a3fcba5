import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

const TAG_BYTES = 16

/**
 * Page tokens for one query. A token holds the sort keys of the last element and a MAC over them and the query. A
 * changed token or filter is refused.
 *
 * @param query What the token is bound to: the operation, its path and its filters. `page_size` may change.
 */
export class PageTokens {
  readonly #key: Uint8Array
  readonly #query: string

  constructor(key: Uint8Array, query: readonly unknown[]) {
    this.#key = key
    this.#query = JSON.stringify(query)
  }

  write(keys: readonly string[]): string {
    const text = Buffer.from(JSON.stringify(keys))
    return Buffer.concat([this.#tagOf(text), text]).toString('base64url')
  }

  /** @throws Problem `page_token_invalid` for a token that this service did not issue for this query. */
  read(token: string): readonly string[] {
    const bytes = Buffer.from(token, 'base64url')
    const [tag, text] = [bytes.subarray(0, TAG_BYTES), bytes.subarray(TAG_BYTES)]
    const canonical = bytes.toString('base64url') === token
    if (!canonical || tag.length < TAG_BYTES || !timingSafeEqual(tag, this.#tagOf(text))) {
      const fix = 'Send the `nextPageToken` of the previous response, with the same filters.'
      throw new Problem('page_token_invalid', `The page token does not belong to this query. ${fix}`)
    }
    return JSON.parse(text.toString()) as string[] // by its tag, `write` made it
  }

  #tagOf(text: Uint8Array): Buffer {
    const mac = createHmac('sha256', this.#key).update(`${this.#query.length}:${this.#query}`).update(text)
    return mac.digest().subarray(0, TAG_BYTES)
  }
}
