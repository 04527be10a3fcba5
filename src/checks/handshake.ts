import type { HandshakeAnswer } from '../reply.ts'
import type { Verification } from '../verification.ts'

/** Answers unsigned handshakes, e.g. a GET with a challenge or an OPTIONS. They are cheap, and come from an allowed network. */
export function answerOpenHandshake(verification: Verification): HandshakeAnswer {
  return verification.protocol.answerOpen?.(verification, verification.isEnforced)
}

/** Answers handshakes that the sender signs like its events. */
export function answerSignedHandshake(verification: Verification): HandshakeAnswer {
  return verification.protocol.answerSigned?.(verification, verification.isEnforced)
}
