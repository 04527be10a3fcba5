import { CodedError } from '../errors.ts'

/** What went wrong with a job, other than what its handler threw. */
export class InboxError extends CodedError<'ERR_INBOX'> {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('InboxError', 'ERR_INBOX', message, options)
  }
}
