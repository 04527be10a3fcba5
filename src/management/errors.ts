import { CodedError } from '../errors.ts'

/**
 * The sender's API did not do what was asked. Its message has no token, and quotes no answer. By `code`:
 *
 * - `ERR_API_TOKEN`: the sender refuses the token, or `token()` threw.
 * - `ERR_API_ENDPOINT`: the token's account has no endpoint at this URL in this mode, so its events are not yours.
 * - `ERR_API_ANSWER`: no answer, another status, or an answer that is not what the sender documents.
 *
 * @example
 * ```ts
 * const recovery = await recover(listener, handle, options).catch((error) => {
 *   if (error instanceof ManagementError) console.error(error.code, error.message)
 *   throw error
 * })
 * ```
 */
export class ManagementError extends CodedError<'ERR_API_TOKEN' | 'ERR_API_ENDPOINT' | 'ERR_API_ANSWER'> {
  constructor(code: ManagementError['code'], message: string) {
    super('ManagementError', code, message)
  }
}
