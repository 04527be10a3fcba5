/** A batch, line by line. Each line has one answer. Both sides answer in this order and remember earlier lines. */
export type Line = ListenerLine | DeliveryLine | SettleLine

/** The listener of the next lines. Answer: `configured` or `refused`. */
export interface ListenerLine {
  readonly listener: ListenerSetup
}

export interface ListenerSetup {
  readonly id: string
  /** Listeners with the same number share a store. */
  readonly store: number
  readonly allowedCidrs?: readonly string[]
  readonly hmac?: readonly { readonly id: string; readonly secret: string }[]
  readonly jwt?: JwtSetup
}

export interface JwtSetup {
  readonly subject: string
  readonly audience: string
  readonly jwks: { readonly keys: readonly Jwk[] }
}

export type Jwk = { readonly [member: string]: unknown }

/** Answer: `accepted <eventId> <secretId or keyId>`, or `<status> <reason>`. */
export interface DeliveryLine {
  readonly deliver: {
    readonly method: string
    readonly headers: Headers
    /** In base64. */
    readonly body: string
    readonly sourceIp?: string
  }
  readonly nowMs: number
  /** What is odd about it, for the reader of a disagreement. */
  readonly odd: readonly string[]
}

/** By lower-case name. An array if it came more than once. */
export type Headers = { readonly [name: string]: string | readonly string[] }

/** The end of a delivery's handler. The delivery is named by its position among the listener's. */
export interface SettleLine {
  readonly settle: number
  readonly verb: 'commit' | 'release'
  readonly nowMs: number
}
