export type { BodyForm } from './body-form.ts'
export type { CodeScheme, SenderScheme } from './code-scheme.ts'
export type { SignedParts, Unsigned } from './code-signer.ts'
export type { CodeSchemeFactory } from './define-code-scheme.ts'
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
export type { Handshake, HandshakeRequest } from './handshake.ts'
export { emptyReply, jsonReply, textReply } from './handshake-replies.ts'
export type { SharedSecretOptions } from './options.ts'
export type {
  Algorithm,
  Content,
  Coverage,
  Dedupe,
  KeyForm,
  Place,
  Scheme,
  SignatureForm,
  Spelling,
  TimeForm,
} from './scheme.ts'
export type { SchemeOptions } from './scheme-options.ts'
export type { SignedBytes, SignedRequest } from './signed-request.ts'
