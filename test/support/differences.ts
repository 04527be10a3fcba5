/**
 * All accepted differences between the targets' replies, with their reasons. Rows of the matrix refer to them by name.
 * Everything else must be identical, byte for byte. docs/runtimes.md shows the same list.
 */
export interface Difference {
  /** The ends of the targets' names in `TARGETS`. */
  readonly on: readonly string[]
  readonly why: string
}

export const DIFFERENCES = {
  'joined headers': {
    on: ['web on Node', 'on Bun', 'on Deno', 'on workerd'],
    why: '`Headers` joins repetitions with a comma, so a comma counts as one: `header_repeated` where Node says what is wrong with the value. 400 either way',
  },
  'body of a GET': {
    on: ['web on Node', 'on Bun', 'on Deno'],
    why: 'the server passes on a chunked GET without its body, so nothing is counted: `method_not_post` where the others say `body_too_large`. 400 either way',
  },
  'phrase of Bun': {
    on: ['on Bun'],
    why: 'a status without a registered phrase, like 499, gets the phrase `HM`; Node says `unknown`',
  },
  'phrase of workerd': {
    on: ['on workerd'],
    why: 'a status without a registered phrase, like 499, gets the phrase of its class, `Client Error` or `Server Error`',
  },
  'phrase of Deno': {
    on: ['on Deno'],
    why: 'a status without a registered phrase, like 499, gets an empty one',
  },
  'equal lengths': {
    on: ['on Bun', 'on Deno', 'on workerd'],
    why: 'two equal Content-Lengths count as one, as RFC 9110 8.6 allows; Node refuses them',
  },
  'length beside chunks': {
    on: ['on workerd'],
    why: 'a Content-Length together with chunks is ignored, as RFC 9112 6.3 allows; the others refuse both together, which is safer behind a proxy that reads the length',
  },
  'own Connection': {
    on: ['on workerd'],
    why: 'the server writes the Connection header itself: `close` comes when it will close, and not after a body that was read',
  },
  'no hang-up': {
    on: ['on workerd'],
    why: 'a worker without further flags is not told that its sender left: the event settles by the answer, as if it had stayed',
  },
  'two hosts': {
    on: ['on Deno'],
    why: 'the server refuses two Host headers with 400 and no body, as RFC 9112 3.2 demands',
  },
  'chunk extensions': {
    on: ['on Deno', 'on workerd'],
    why: 'the server cuts off extensions of 4 KB on each chunk: `body_incomplete`',
  },
  'no last word': {
    on: ['on Bun'],
    why: 'a sender that closes its side before the body is complete gets no reply',
  },
  'left open': {
    on: ['on Deno'],
    why: 'after `Connection: close` the server reads and drops the rest of the body, answers the requests that follow, and leaves closing to the sender',
  },
  'no pipelining': {
    on: ['on Bun'],
    why: 'a request that arrives before the one in front of it is answered closes the connection: neither is answered, and the second is not run',
  },
  unheard: {
    on: ['web on Node'],
    why: "`hookgate/web` sees no connection. On a Node server, a request after a refusal that closes the connection is run, but its answer cannot be sent: the sender's retry gets 409",
  },
} as const satisfies { readonly [name: string]: Difference }

export type DifferenceName = keyof typeof DIFFERENCES

export function isDifferent(target: string, name: DifferenceName): boolean {
  return DIFFERENCES[name].on.some((end) => target.endsWith(end))
}
