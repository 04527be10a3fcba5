import type { Fetch } from '../../src/jwt.ts'

/** The hosts' responses by URL. `*` stands for every other URL. */
export interface VectorFetches {
  readonly [url: string]: { readonly status: number; readonly body: unknown }
}

/** An option `fetch` that answers as a vector file says. @param asked Gets the URLs. */
export function vectorFetch(answers: VectorFetches, asked: string[] = []): { readonly fetch: Fetch } {
  const fetch: Fetch = async (url) => {
    asked.push(url)
    const { status, body } = answers[url] ?? answers['*'] ?? { status: 404, body: '' }
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return { fetch }
}

/** The options by which a scheme gets its keys. Plaid's come from the user's own function. */
export function remoteOptions(scheme: string, answers: VectorFetches): object {
  if (scheme !== 'plaid') return vectorFetch(answers)
  const [byKeyId] = Object.values(answers)
  return { findKey: async (keyId: string) => Object(byKeyId)[keyId]?.body.key }
}
