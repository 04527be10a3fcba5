/**
 * All accepted differences between the targets' replies, with their reasons. Rows of the matrix refer to them by name.
 * Everything else must be identical, byte for byte. docs/runtimes.md links to it.
 */
export interface Difference {
  /** The ends of the targets' names in `TARGETS`. */
  readonly on: readonly string[]
  readonly why: string
}

export const DIFFERENCES = {
  'joined headers': {
    on: ['web on Node', 'on Bun', 'on Deno', 'on workerd'],
    why: '`Headers` joins repeated headers with a comma, so a comma counts as a repetition: the reason is `header_repeated` where Node names the fault in the value. 400 either way',
  },
  'query as parsed': {
    on: ['web on Node', 'on Bun'],
    why: 'a `Request` has its URL as a URL parser writes it, with `"`, `<` and `>` percent-encoded in its query: 401 for a sender that signs them as they are',
  },
  'query of a URI': {
    on: ['on workerd'],
    why: 'the server refuses a request with `"`, `<` or `>` in its query, which RFC 3986 does not allow, with 400 and a text',
  },
  'body of a GET': {
    on: ['web on Node', 'on Bun', 'on Deno'],
    why: 'the server passes on a chunked GET without its body, so there is nothing to count: the reason is `method_not_post` where the others give `body_too_large`. 400 either way',
  },
  'phrase of Bun': {
    on: ['on Bun'],
    why: 'a status without a registered phrase, such as 499, gets the phrase `HM`; Node uses `unknown`',
  },
  'phrase of workerd': {
    on: ['on workerd'],
    why: 'a status without a registered phrase, such as 499, gets the phrase of its class: `Client Error` or `Server Error`',
  },
  'phrase of Deno': {
    on: ['on Deno'],
    why: 'a status without a registered phrase, such as 499, gets an empty phrase',
  },
  'equal lengths': {
    on: ['on Bun', 'on Deno', 'on workerd'],
    why: 'two equal Content-Length headers count as one, as RFC 9110 8.6 allows; Node refuses them',
  },
  'length beside chunks': {
    on: ['on workerd'],
    why: 'the server ignores Content-Length in a chunked request, as RFC 9112 6.3 allows; the others refuse the combination, which is safer behind a proxy that reads the length',
  },
  'own Connection': {
    on: ['on workerd'],
    why: 'the server sets the Connection header itself: it sends `close` only when it will close, so not after a body that was read',
  },
  'no hang-up': {
    on: ['on workerd'],
    why: 'without further flags, a worker is not told that the sender hung up: an event whose handler failed is released, as if the sender had stayed',
  },
  'no source address': {
    on: ['on workerd'],
    why: 'a bare worker cannot see where a request comes from; on Cloudflare, pass `sourceIp` from `CF-Connecting-IP`',
  },
  'two hosts': {
    on: ['on Deno'],
    why: 'the server refuses a request with two Host headers, with 400 and no body, as RFC 9112 3.2 requires',
  },
  'chunk extensions': {
    on: ['on Deno', 'on workerd'],
    why: 'the server aborts a body whose chunk extensions have 4 KB each: `body_incomplete`',
  },
  'no last word': {
    on: ['on Bun'],
    why: 'a sender that closes its side before the body is complete gets no response',
  },
  'left open': {
    on: ['on Deno'],
    why: 'after `Connection: close`, the server reads and drops the rest of the body, answers the requests that follow, and lets the sender close the connection',
  },
  'no pipelining': {
    on: ['on Bun'],
    why: 'if a request arrives before the previous one is answered, the server closes the connection: neither is answered, and the second does not run',
  },
  'held answer': {
    on: ['Fastify 5', 'Hono on Node', 'web on Node', 'on Bun', 'on Deno', 'on workerd'],
    why: 'the answer has not left: if the store holds what the handler wrote, as a transaction does, and the commit fails, the answer is 500',
  },
  unheard: {
    on: ['web on Node'],
    why: "`hookgate/web` cannot see the connection. On a Node server, if a refusal closes the connection, the next request on it still runs, but its response cannot be sent: the sender's retry gets 409",
  },
} as const satisfies { readonly [name: string]: Difference }

export type DifferenceName = keyof typeof DIFFERENCES

export function isDifferent(target: string, name: DifferenceName): boolean {
  return DIFFERENCES[name].on.some((end) => target.endsWith(end))
}
