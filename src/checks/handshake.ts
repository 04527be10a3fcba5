import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SenderAttempt } from './check.ts'

/** The reply to a handshake, returned instead of a refusal. */
export interface Answered {
  readonly reply: Reply
}

/** Answers unsigned handshakes, e.g. a GET with a challenge or an OPTIONS. They are cheap and echo only text. */
export function answerOpenHandshake(attempt: SenderAttempt): MaybePromise<Answered | undefined> {
  return attempt.sender.scheme.handshake?.signed === false ? attempt.sender.answer(attempt) : undefined
}

/** Answers handshakes that the sender signs like its events. */
export function answerSignedHandshake(attempt: SenderAttempt): MaybePromise<Answered | undefined> {
  return attempt.sender.scheme.handshake?.signed === true ? attempt.sender.answer(attempt) : undefined
}
