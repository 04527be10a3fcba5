import { decodeBase64url, verifySignature } from '#crypto'
import type { JwtAlgorithm, SignatureKey } from '../crypto/algorithms.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Json } from '../lib/json.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { MAX_KEY_ID_LENGTH, MAX_TOKEN_LENGTH } from '../limits.ts'
import { type Failure, fail } from '../reason.ts'
import type { Evidence } from './evidence.ts'

/** HS256 is for senders that share a secret. The others are those of key sets. */
export type TokenAlgorithm = JwtAlgorithm | 'HS256'

/** What a sender's tokens must be. All of it is checked before a key is looked up. */
export interface TokenRules<Algorithm extends TokenAlgorithm = TokenAlgorithm> {
  /** The header whose whole value is the token. */
  readonly header: string
  /** Whether the word `Bearer` precedes the token (RFC 6750 2.1). */
  readonly isBearer?: true
  readonly algorithms: readonly Algorithm[]
  /** Asked once the token's form is right. */
  readonly claims: (evidence: Evidence) => MaybePromise<readonly ClaimRule[]>
  readonly times: TimeRules
}

/** A required claim. */
export interface ClaimRule {
  readonly claim: string
  /** The value, the values of which it is one, or a test. */
  readonly is: string | true | readonly string[] | ((value: Json | undefined) => boolean)
  /** What is said of any other value, to the operator. */
  readonly problem: string
}

/**
 * The times of a token, in seconds since 1970 (RFC 7519 2), in the order in which they are checked: `exp`, which must be in the
 * future, comes last. `ahead` is how far in the future each may be.
 */
export type TimeRules = {
  readonly [claim in 'iat' | 'nbf' | 'exp']?: { readonly ahead: number; readonly optional?: true }
}

export type TokenFailure = Failure<'auth_missing' | 'token_invalid' | 'token_expired'>

/** A token of the right form. Nothing about it is verified yet. */
export interface Token<Algorithm extends TokenAlgorithm = TokenAlgorithm> {
  readonly algorithm: Algorithm
  /** Empty for HS256, for which every secret is tried. */
  readonly keyId: string
  /** The signed text: the first two segments and the dot between them (RFC 7515 5.2). */
  readonly signingInput: string
  readonly signature: Uint8Array<ArrayBuffer>
}

export interface VerifiedToken {
  readonly keyId: string
  readonly signingInput: string
  readonly claims: Claims
}

export type Claims = { readonly [claim: string]: Json }

/**
 * Verifies the token of a delivery: its form, its claims, and only then its signature.
 *
 * @param findKey Returns the problem as a string if there is no such key.
 */
export async function verifyToken<Algorithm extends JwtAlgorithm>(
  evidence: Evidence,
  rules: TokenRules<Algorithm>,
  findKey: (keyId: string, algorithm: Algorithm) => MaybePromise<SignatureKey | string>,
): Promise<VerifiedToken | TokenFailure> {
  const token = await checkToken(evidence, rules)
  if ('reason' in token) return token
  const { algorithm, keyId, signingInput } = token
  const found = findKey(keyId, algorithm)
  const key = isPromise(found) ? await found : found
  if (typeof key === 'string') return invalid(key)
  if (!(await isSignedBy(token, key))) return invalid('the signature does not verify')
  return { keyId, signingInput, claims: claimsOf(token) }
}

/** Verifies all but the signature. Holds no claims while it waits: 8 KB of them can take 200 KB when parsed. */
export async function checkToken<Algorithm extends TokenAlgorithm>(
  evidence: Evidence,
  rules: TokenRules<Algorithm>,
): Promise<Token<Algorithm> | TokenFailure> {
  const token = tokenIn(evidence.delivery, rules)
  if ('reason' in token) return token
  const expected = rules.claims(evidence)
  const claimRules = isPromise(expected) ? await expected : expected
  const claims = readClaims(token)
  if (typeof claims === 'string') return invalid(claims)
  return claimsProblem(claims, claimRules, rules.times, evidence.now) ?? token
}

export function isSignedBy(token: Token<JwtAlgorithm>, key: SignatureKey): Promise<boolean> {
  return verifySignature(token.algorithm, key, token.signature, token.signingInput)
}

const BEARER = 'bearer '

function tokenIn<Algorithm extends TokenAlgorithm>(
  delivery: Pick<Delivery, 'header'>,
  { header, isBearer, algorithms }: TokenRules<Algorithm>,
): Token<Algorithm> | TokenFailure {
  const text = headerOf(delivery, header.toLowerCase())
  if (text === undefined) return fail('auth_missing', `no ${header}`)
  if (typeof text === 'object') return invalid(`more than one ${header}`)
  if (isBearer && text.slice(0, BEARER.length).toLowerCase() !== BEARER) {
    return invalid('the scheme is not Bearer')
  }
  const token = readToken(isBearer ? text.slice(BEARER.length) : text, algorithms)
  return typeof token === 'string' ? invalid(token) : token
}

/**
 * Reads a compact JWS (RFC 7515 3.1), far more strictly than RFC 7515: one spelling, the sender's algorithms, no
 * extensions. Returns a string that says what is wrong, if anything.
 */
export function readToken<Algorithm extends TokenAlgorithm>(
  compact: string,
  algorithms: readonly Algorithm[],
): Token<Algorithm> | string {
  if (compact.length > MAX_TOKEN_LENGTH) return `the token is over ${MAX_TOKEN_LENGTH} characters`
  const segments = compact.split('.', 4)
  const [protectedHeader = '', , lastSegment = ''] = segments
  if (segments.length !== 3) return 'the token does not have three segments'
  const signature = decodeBase64url(lastSegment)
  if (!signature?.length) return 'the signature is not base64url'
  const header = readHeader(protectedHeader, algorithms)
  if (typeof header === 'string') return header
  return { ...header, signingInput: compact.slice(0, -lastSegment.length - 1), signature }
}

type Header<Algorithm extends TokenAlgorithm> = Pick<Token<Algorithm>, 'algorithm' | 'keyId'>

let lastHeader:
  | { segment: string; algorithms: readonly string[]; read: Header<TokenAlgorithm> | string }
  | undefined

/** Caches the last header, because a sender's tokens all have the same one. */
function readHeader<Algorithm extends TokenAlgorithm>(
  segment: string,
  algorithms: readonly Algorithm[],
): Header<Algorithm> | string {
  if (lastHeader?.segment !== segment || lastHeader.algorithms !== algorithms) {
    lastHeader = { segment, algorithms, read: judgeHeader(readObject(segment), algorithms) }
  }
  return lastHeader.read as Header<Algorithm> | string // read for these algorithms
}

function judgeHeader<Algorithm extends TokenAlgorithm>(
  header: Claims | string,
  algorithms: readonly Algorithm[],
): Header<Algorithm> | string {
  if (typeof header === 'string') return `the token header ${header}`
  const algorithm = algorithms.find((known) => known === header.alg)
  if (algorithm === undefined) return `alg is not one of ${algorithms.join(', ')}`
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  if (algorithm === 'HS256') return { algorithm, keyId: '' }
  const keyId = header.kid
  if (typeof keyId !== 'string' || keyId === '') return 'kid is missing'
  if (keyId.length > MAX_KEY_ID_LENGTH) return `kid is over ${MAX_KEY_ID_LENGTH} characters`
  return { algorithm, keyId }
}

const PIECES = /"(?:[^"\\]|\\.)*"|[[\]{}:]/g

/** Counts the members of a JSON object, not those nested in them. Counts repeated names, of which `JSON.parse` keeps only the last. */
function countMembers(object: string): number {
  let members = 0
  let depth = 0
  for (const [piece] of object.matchAll(PIECES)) {
    if (piece === '{' || piece === '[') depth += 1
    else if (piece === '}' || piece === ']') depth -= 1
    else if (piece === ':' && depth === 1) members += 1
  }
  return members
}

/** Reads the payload. Returns a string that says what is wrong, if anything. */
export function readClaims({ signingInput }: Token): Claims | string {
  const claims = readObject(signingInput.slice(signingInput.indexOf('.') + 1))
  return typeof claims === 'string' ? `the token payload ${claims}` : claims
}

/** The claims of a token that `checkToken` has passed. */
export function claimsOf(token: Token): Claims {
  return readClaims(token) as Claims // they have been read before
}

/** All parsers must read a token in the same way, so no member may be repeated (RFC 7515 4, RFC 7519 4). */
export function readObject(segment: string): Claims | string {
  const bytes = decodeBase64url(segment)
  if (!bytes?.length) return 'is not base64url'
  const text = decodeUtf8(bytes) ?? 'null'
  try {
    const value: Json = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object'
    return countMembers(text) === Object.keys(value).length ? value : 'has a member twice'
  } catch {
    return 'is not JSON'
  }
}

/** Does not check claims without a rule, the signature, or whether a `jti` is new: the claim of the event does. */
export function claimsProblem(
  claims: Claims,
  rules: readonly ClaimRule[],
  times: TimeRules,
  now: number,
): Failure<'token_invalid' | 'token_expired'> | undefined {
  const broken = rules.find(({ claim, is }) => !isAsExpected(claims[claim], is))
  if (broken) return invalid(broken.problem)
  for (const [claim, { ahead, optional }] of Object.entries(times)) {
    const time = claims[claim]
    if (time === undefined && optional) continue
    if (!isNumericDate(time)) return invalid(`${claim} is not a number`)
    if (!(time <= now + ahead)) return invalid(`${claim} is over ${ahead} s ahead`)
    if (claim === 'exp' && time <= now) return fail('token_expired', `the token expired ${now - time} s ago`)
  }
  return undefined
}

function isAsExpected(value: Json | undefined, is: ClaimRule['is']): boolean {
  if (typeof is === 'function') return is(value)
  return typeof is === 'object' ? is.some((each) => each === value) : is === value
}

/** Seconds, possibly fractional (RFC 7519 2). `1e400` parses to Infinity: a token that never expires. */
function isNumericDate(value: Json | undefined): value is number {
  return Number.isFinite(value)
}

function invalid(detail: string): Failure<'token_invalid'> {
  return fail('token_invalid', detail)
}
