export type { Signed } from '../../crypto/algorithms.ts'
export type { CompiledScheme } from '../../protocol.ts'
export { defineScheme } from './checked-row.ts'
export type { CodeScheme, SenderScheme, SignedParts, Unsigned } from './code-scheme.ts'
export {
  type CodeSchemeFactory,
  type HandshakeOptions,
  type PublicKeyOptions,
  type SchemeFactory,
  type SecretOptions,
  type SharedSecretOptions,
  senderAuthenticator,
  type TopicOptions,
  type UrlOptions,
  type VerifyTokenOptions,
} from './define-scheme.ts'
export type { FormField } from './form-fields.ts'
export { emptyReply, jsonReply, textReply } from './handshake-answers.ts'
export type {
  Algorithm,
  BodyForm,
  Content,
  Coverage,
  Dedupe,
  HandshakeForm,
  HandshakeRequest,
  KeyForm,
  PublicKeyAlgorithm,
  Scheme,
  SchemeOptions,
  SchemeRequest,
  SignatureForm,
  SignatureSpelling,
  SignedBytes,
  TimeForm,
  ValueLocation,
} from './scheme.ts'
export type { SenderFacts } from './sender-facts.ts'
