import type { Fetch } from '../../src/jwt.ts'

/** What hosts answer, by URL; `*` for every other URL. */
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
