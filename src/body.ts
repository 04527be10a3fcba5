import { type Json, parseJson } from './lib/json.ts'
import type { Selection } from './lib/json-members.ts'
import { type Failure, fail } from './reason.ts'
import type { FormField } from './schemes/kit/form-fields.ts'

/** A parsed body, or the reason why it does not parse. */
export type Reading = { readonly payload: Json } | Failure<'body_not_json' | 'body_malformed'>

/** What may be read of a body before its sender is known. */
export interface EarlyLimits {
  readonly maxFields: number
  /** The only members that are read of JSON. Undefined: all of it. */
  readonly selection?: Selection | undefined
}

/** Reads bodies of one content type. Omit `limits` for an authenticated body. */
export type ReadBody = (body: Uint8Array, limits?: EarlyLimits) => Reading

/** Reads any JSON text in UTF-8. */
export function readJson(body: Uint8Array): Reading {
  const parsed = parseJson(body)
  return 'problem' in parsed ? fail('body_not_json', parsed.problem) : { payload: parsed.value }
}

/** How the bodies of a protocol are read. */
export interface BodyFormat {
  /** Finds the reader for a media type. Undefined if deliveries never have the type. */
  readonly readerFor: (mediaType: string | undefined) => ReadBody | undefined
  /** Decodes the fields of a form before it is authenticated, or says why it cannot. */
  readonly fieldsOf?: ((body: Uint8Array) => readonly FormField[] | string) | undefined
  /** What is read of a body before it is authenticated. */
  readonly early?: EarlyLimits | undefined
}

/** What the bytes of a delivery say: at a glance before their sender is known, and read as a whole after. */
export class Body {
  readonly #bytes: Uint8Array
  readonly #format: BodyFormat
  /** What parses it. The content type selects it. */
  parse: ReadBody | undefined = undefined
  /** Why a glance, or a signed value, found nothing. Empty if nothing went wrong. */
  problem = ''
  /** Set while glances share what they parse: only as long as nothing is awaited. */
  glimpsed: { reading?: Reading } | undefined = undefined
  #kept: Reading | undefined = undefined

  constructor(bytes: Uint8Array, format: BodyFormat) {
    this.#bytes = bytes
    this.#format = format
  }

  /** Parses the members that are read first, or all members, within the limits for strangers. Undefined if it does not parse. */
  glance(extent?: 'all members'): Json | undefined {
    const { early } = this.#format
    if (extent) return this.#payloadOf(this.#read(early && { maxFields: early.maxFields }))
    const reading = this.glimpsed?.reading ?? this.#read(early)
    if (this.glimpsed) this.glimpsed.reading = reading
    return this.#payloadOf(reading)
  }

  /** Decodes the fields of a form, within the same limits. */
  fields(): readonly FormField[] | undefined {
    const fields = this.#format.fieldsOf?.(this.#bytes)
    if (typeof fields !== 'string') return fields
    this.problem = fields
    return undefined
  }

  /** Parses all of it, without these limits. */
  read(): Reading {
    return this.#kept ?? this.#read()
  }

  /** Parses all of it for an authenticator that knows the sender, and keeps it for `read`. Undefined if it does not parse. */
  keep(): Json | undefined {
    this.#kept = this.read()
    return 'reason' in this.#kept ? undefined : this.#kept.payload
  }

  #payloadOf(reading: Reading): Json | undefined {
    if (!('reason' in reading)) return reading.payload
    this.problem = reading.detail
    return undefined
  }

  #read(limits?: EarlyLimits): Reading {
    const parse = this.parse ?? this.#format.readerFor(undefined)
    return parse?.(this.#bytes, limits) ?? fail('body_malformed', 'the body cannot be parsed')
  }
}
