import type { Json } from '../lib/json.ts'
import type { TimeUnit } from '../lib/time.ts'

/** Names and their texts. */
export interface Texts {
  readonly [name: string]: string
}

/** A request. `{name}` in its path is a parameter: one segment, percent-encoded. */
export interface Call {
  /** Defaults to GET. */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  /** The path after the base URL. */
  readonly path: string
  /** Whether a POST with a body makes or ends something, so that it is not repeated after a failure. Without it, it is a search. */
  readonly acts?: true
  /** The JSON of the request. A text that is `{name}`, or `{name:number}`, alone is a parameter too; a member whose parameter has no value is left out. */
  readonly body?: Json
}

/** A request for a list, in pages. Places are JSON pointers (RFC 6901). */
export interface Listing extends Call {
  /** The parameters of the first page. `{hook}` alone is the endpoint's ID. With a body, they fill that instead of the URL. */
  readonly query: Texts
  /** Where an answer has the list. `only`: the answer is its only item. */
  readonly items: string | 'only'
  /**
   * How the next page is asked for: by a parameter of the `next` link (RFC 8288), which may be in the answer instead of a header; by the
   * ID of the last item, while `more` is true; or by a cursor of the answer, until there is none or `ends` has its value. Undefined if
   * there is one page.
   */
  readonly next?:
    | { readonly linked: string; readonly at?: string }
    | { readonly parameter: string; readonly lastId: string; readonly more: string }
    | {
        readonly parameter: string
        readonly cursor: string
        readonly ends?: { readonly at: string; readonly is: boolean }
      }
}

/** The endpoints that the sender knows. */
export interface Endpoints extends Listing {
  /** Where an endpoint has its ID. Undefined if there is one, without an ID. */
  readonly id?: string
  /** Where it has its URL. */
  readonly url: string
  /** Where it says whether it is of the live mode. Undefined if the sender has no modes. */
  readonly live?: string
  /** Where it has the API version of its events. Null there: the account's. */
  readonly version?: string
  /** Where it has the types that are sent to it: a list, or one. `/*` stands for each item of a list. `*` among them stands for all. */
  readonly types: string
  /** Where anything but null says that `missed` does not have its events. What it gets instead, and what to do. */
  readonly elsewhere?: { readonly at: string; readonly fix: string }
  /** The members that stand for a type if they are true, where there is no list of types. */
  readonly flags?: Texts
  /** Whether an endpoint without any type gets all. */
  readonly allIfNone?: true
  /** Whether the API lists none, so that only the user's code knows them. */
  readonly unlisted?: true
  /** Whether each type has an endpoint of its own, so that several have one URL. */
  readonly onePerType?: true
  /** How the API spells a type, or the beginning of one. Defaults to the spelling of the events. */
  readonly spelt?: (type: string) => string
  /** What brings the types, if the list does not. */
  readonly typesCall?: Call
  /** Where an endpoint shows its signing secret, or the answer to a call with its `{hook}`. Undefined if the sender shows it to nobody. */
  readonly secret?: { readonly at: string; readonly call?: Call }
  /** The types that are sent to every endpoint, so that none subscribes to them. */
  readonly everywhere?: readonly string[]
  /** What each endpoint should be like: a member, its value, and what to do if it has another one. */
  readonly should: readonly {
    /** What is wrong if it has another value. */
    readonly finding: 'mode' | 'disabled' | 'insecure' | 'unsigned' | 'failed'
    /** Where the member is. */
    readonly at: string
    /** Its value, or those that it may have. `present`: any. */
    readonly is: string | boolean | 'present' | readonly string[]
    /** Whether older versions of the sender do not say it. */
    readonly mayLack?: true
    /** What to do. */
    readonly fix: string
  }[]
}

/** Events of the account, or attempts to deliver them to one endpoint, newest first. */
export interface Missed extends Listing {
  /** Whether they are the whole account's: cut to the endpoint's types, and no proof that this endpoint has failed. */
  readonly ofAccount: boolean
  /** The query that leaves out what was delivered. Undefined if only the items tell. */
  readonly undelivered?: Texts
  /** The parameter of the query with the time of the oldest item. Undefined if the list cannot be cut. */
  readonly since?: { readonly parameter: string; readonly unit: TimeUnit }
  /** Where an item has its ID. */
  readonly id: string
  /** Where it has the event's ID, which is the same in each attempt. */
  readonly event: string
  /** Where it has the event's type. */
  readonly type: string
  /** Where it has its time. */
  readonly time: { readonly at: string; readonly unit: TimeUnit }
  /** Where it says whether it is of the live mode. */
  readonly live?: string
  /** Where it has the API version that its payload is written in. */
  readonly version?: string
  /**
   * Where an item says what became of it, and by which words: `delivered`, where `2xx` is any such status, and `underway`, which is no
   * failure yet. Undefined if it does not say.
   */
  readonly status?: {
    readonly at: string
    readonly delivered: readonly string[] | '2xx'
    readonly underway?: readonly string[]
  }
  /** How long the sender keeps them. */
  readonly keepsDays: number
  /** How its payloads differ from those of deliveries. Undefined if they do not. */
  readonly caveat?: string
  /**
   * What brings the event. `fetched`: the item, or what a call brings, has the body of a delivery at `body`, and the places of the headers
   * that its ID and type are in; it claims the ID that a delivery claims. `lost` is the JSON that stands for a body that it has not kept.
   * `signed`: a call brings the headers and the body of an attempt, whose signature is verified.
   */
  readonly record:
    | {
        readonly trust: 'fetched'
        readonly call?: Call
        readonly body?: string
        readonly headers?: Texts
        readonly lost?: string
      }
    | { readonly trust: 'signed'; readonly call: Call; readonly headers: string; readonly body: string }
}

/** How an endpoint that ends is made to last longer. */
export interface Renewal {
  /** The request, with `{hook}` and `{until}`. */
  readonly call: Call
  /** Where an endpoint says when it ends: a time of ISO 8601, or milliseconds since 1970. */
  readonly expires: string
  /** Where the answer to the request says it. */
  readonly renewed: string
  /** How long an endpoint may last, by the values at some of its places. The first that fits counts; without one, it is not renewed. */
  readonly lives: readonly { readonly fits: { readonly [at: string]: RegExp }; readonly minutes: number }[]
  /**
   * If none can last longer: the request makes another one, with `{next}` as its ID, and `{url}`, `{secret}` and `{untilMs}`. `stop` ends the
   * old one, with its `{hook}` and `{resource}`. `watches`: where both say what they watch, which must be the same but for a parameter of this URL.
   */
  readonly replaces?: {
    readonly stop: Call
    readonly resource: string
    readonly watches: { readonly at: string; readonly without?: string }
  }
}

/**
 * A sender's management API, as data. `hookgate/management/stripe` and the like have one for each sender. Knows nothing of signatures:
 * these are the scheme's.
 */
export interface ManagementApi {
  /** The name of the sender's scheme, as in `hookgate/schemes/<name>`. */
  readonly scheme: string
  /** The sender's name, as it writes it. */
  readonly sender: string
  /** Where its calls go, and nothing else gets the token: `https`, with the path that all calls begin with. */
  readonly baseUrl: string
  /** The values of the parameters that the user knows. */
  readonly parameters: Texts
  /** Headers of each call, besides the token's. */
  readonly headers: Texts
  /** How the token travels, and the least that it must be allowed. */
  readonly token: {
    /** The header. */
    readonly header: string
    /** What comes before the token there. */
    readonly before: string
    /** What it must be allowed, for reading. */
    readonly reads: string
    /** What it must be allowed, to ask for redelivery. */
    readonly redelivers?: string
  }
  /** How a refusal without `Retry-After` says that it was asked too often: by a text, in lower case. How long to wait then, at least. */
  readonly tooOften?: { readonly says: string; readonly seconds: number }
  /** How endpoints are listed. */
  readonly endpoints: Endpoints
  /** How missed events are listed. Undefined if none can be recovered, so that its endpoints can be inspected only. */
  readonly missed?: Missed
  /** Asks the sender to deliver an attempt's event again. Undefined if it never does. */
  readonly redelivery?: Call & { readonly perMinute: number }
  /** How endpoints are renewed. Undefined if they do not end. */
  readonly renewal?: Renewal
}

/** How most tokens travel (RFC 6750 2.1). */
export const BEARER = { header: 'authorization', before: 'Bearer ' } as const
