export type { UnreadDelivery } from '../../auth/evidence.ts'
export type { FormField } from '../../body.ts'
export type { CodeScheme, SenderScheme, SignedParts, Unsigned } from '../../code-scheme.ts'
export type { Signed, SignedBody, WrittenBytes } from '../../crypto/algorithms.ts'
export { bytesToHash, type HashedBytes, type UnreadBytes } from '../../lib/unread.ts'
export type { CompiledScheme } from '../../protocol.ts'
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
} from '../../scheme.ts'
export type { SenderFacts } from '../../sender-facts.ts'
export { defineScheme } from './checked-row.ts'
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
