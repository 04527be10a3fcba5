export type { CompiledScheme } from '../protocol.ts'
export type { CodeScheme, SenderScheme, SignedParts, Unsigned } from './code-scheme.ts'
export type { CodeSchemeFactory, SharedSecretOptions } from './define-scheme.ts'
export {
  defineScheme,
  type HandshakeOptions,
  type PublicKeyOptions,
  type SchemeFactory,
  type SecretOptions,
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
  Scheme,
  SchemeOptions,
  SchemeRequest,
  SignatureForm,
  Signed,
  SignedBytes,
  Spelling,
  TimeForm,
  ValueLocation,
} from './scheme.ts'
export type { SenderFacts } from './sender-facts.ts'
