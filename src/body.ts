import { decodeUtf8 } from './lib/bytes.ts'
import { type Json, parseJson } from './lib/json.ts'
import type { Selection } from './lib/json-members.ts'
import { type UnreadBytes, unread } from './lib/unread.ts'
import { MOST_READ } from './limits.ts'
import { type Failure, fail } from './reason.ts'

/** A parsed body, or the reason why it does not parse. */
export type ParseResult = { readonly payload: Json } | Failure<'body_not_json' | 'body_malformed'>

/** What may be read of a body before its sender is known. */
export interface PreAuthLimits {
  readonly maxFields: number
  /** The only members that are read of JSON. Undefined: all of it. */
  readonly selection?: Selection | undefined
}

/** Reads bodies of one content type. Omit `limits` for an authenticated body. */
export type ReadBody = (body: Uint8Array, limits?: PreAuthLimits) => ParseResult

/** Reads any JSON text in UTF-8. */
export function readJson(body: Uint8Array): ParseResult {
  const parsed = parseJson(body)
  return 'problem' in parsed ? fail('body_not_json', parsed.problem) : { payload: parsed.value }
}

/** A field of a form that is not authenticated yet. */
export interface FormField {
  /** Decoded. */
  readonly name: string
  /** Without the percent encoding. Not checked: any bytes. */
  readonly value: Uint8Array
}

/** How the bodies of a protocol are read. */
export interface BodyFormat {
  /** Finds the reader for a media type. Undefined if deliveries never have the type. */
  readonly readerFor: (mediaType: string | undefined) => ReadBody | undefined
  /** Decodes the fields of a form before it is authenticated, or says why it cannot. */
  readonly fieldsOf?: ((body: Uint8Array) => readonly FormField[] | string) | undefined
  /** Finds the bytes of a string member of JSON before it is authenticated, or says why it cannot. */
  readonly memberOf?: ((body: Uint8Array, name: string) => Uint8Array | string | undefined) | undefined
  /** What is read of a body before it is authenticated. */
  readonly preAuth?: PreAuthLimits | undefined
}

/** What the bytes of a delivery say: read within limits before their sender is known, and as a whole after. */
export class Body {
  readonly #bytes: Uint8Array
  readonly #format: BodyFormat
  /** What parses the body. The content type selects it. */
  parseBody: ReadBody | undefined = undefined
  /** Why a limited reading, or a signed value, found nothing. Empty if nothing went wrong. */
  bodyProblem = ''
  /** What `parsed` has found, for the next call. Set only as long as nothing is awaited: it may be large, and its sender unknown. */
  shared: { result?: ParseResult } | undefined = undefined
  #kept: ParseResult | undefined = undefined

  constructor(bytes: Uint8Array, format: BodyFormat) {
    this.#bytes = bytes
    this.#format = format
  }

  get bytes(): UnreadBytes {
    return unread(this.#bytes)
  }

  /** The members that are read first, within the limits for strangers. Undefined if it does not parse. */
  parsed(): Json | undefined {
    const result = this.shared?.result ?? this.#read(this.#format.preAuth)
    if (this.shared) this.shared.result = result
    return this.#payloadOf(result)
  }

  /** All members, within the same limits. */
  parsedWhole(): Json | undefined {
    const { preAuth } = this.#format
    return this.#payloadOf(this.#read(preAuth && { maxFields: preAuth.maxFields }))
  }

  /** Decodes the fields of a form, within the same limits. */
  fields(): readonly FormField[] | undefined {
    return this.#found(this.#format.fieldsOf?.(this.#bytes))
  }

  /** Finds the bytes of a string member of JSON, within the same limits. */
  member(name: string): UnreadBytes | undefined {
    const found = this.#found(this.#format.memberOf?.(this.#bytes, name))
    return found && unread(found)
  }

  /** Decodes a short body. */
  text(mostBytes: number): string | undefined {
    const isShort = this.#bytes.length <= Math.min(mostBytes, MOST_READ)
    return isShort ? decodeUtf8(this.#bytes) : undefined
  }

  /** Parses all of it, without these limits. */
  readBody(): ParseResult {
    return this.#kept ?? this.#read()
  }

  /** Parses all of it for an authenticator that knows the sender, and keeps it for `readBody`. Undefined if it does not parse. */
  keepParsed(): Json | undefined {
    this.#kept = this.readBody()
    return 'reason' in this.#kept ? undefined : this.#kept.payload
  }

  refuse(detail: string): undefined {
    this.bodyProblem = detail
  }

  #found<Value>(found: Value | string): Value | undefined {
    return typeof found === 'string' ? this.refuse(found) : found
  }

  #payloadOf(result: ParseResult): Json | undefined {
    return 'reason' in result ? this.refuse(result.detail) : result.payload
  }

  #read(limits?: PreAuthLimits): ParseResult {
    const parse = this.parseBody ?? this.#format.readerFor(undefined)
    const result = parse?.(this.#bytes, limits) ?? fail('body_malformed', 'the body cannot be parsed')
    return 'reason' in result && decodeUtf8(this.#bytes.subarray(0, 3)) === '\ufeff'
      ? fail(result.reason, 'the body begins with a byte order mark')
      : result
  }
}
