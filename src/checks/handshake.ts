import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SenderAttempt } from './check.ts'

/** A handshake's answer, in a check's place. */
export interface Answered {
  readonly reply: Reply
}

/** Handshakes that nobody signs: a GET with a challenge, an OPTIONS. They cost nothing and echo only text. */
export function answerOpenHandshake(attempt: SenderAttempt): MaybePromise<Answered | undefined> {
  return attempt.sender.scheme.handshake?.signed === false ? attempt.sender.answer(attempt) : undefined
}

/** Handshakes that the sender signs as it signs its events. */
export function answerSignedHandshake(attempt: SenderAttempt): MaybePromise<Answered | undefined> {
  return attempt.sender.scheme.handshake?.signed === true ? attempt.sender.answer(attempt) : undefined
}
