import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Delivery } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import type { VectorFetches } from './vector-fetch.ts'

/** A request of a sender, and what becomes of it. */
export interface Case {
  readonly name: string
  readonly method: string
  readonly url?: string
  /** The URL that the sender calls, if it is not `publicUrl`. */
  readonly requestUrl?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly options?: SchemeOptions
  readonly expect: { readonly ok: boolean; readonly [expected: string]: unknown }
}

/** The vectors of one scheme. */
export interface VectorFile {
  readonly scheme: string
  readonly options: SchemeOptions
  readonly now: number
  readonly fetches?: VectorFetches
  readonly cases: readonly Case[]
  readonly notApplicable?: { readonly [refusal: string]: string }
}

const FOLDER = fileURLToPath(new URL('../vectors/schemes/', import.meta.url))
/** All of them, from test/vectors/schemes. */
export const files: readonly VectorFile[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json') && file !== 'handshakes.json')
  .map((file) => JSON.parse(readFileSync(FOLDER + file, 'utf8')))

export function deliveryOf({
  method,
  requestUrl,
  url = requestUrl,
  headers,
  body = '',
  bodyBase64,
}: Case): Delivery {
  return {
    method,
    url,
    header: (name) => {
      const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
      return values.length > 1 ? values : values[0]
    },
    body: Buffer.from(bodyBase64 ?? body, bodyBase64 === undefined ? 'utf8' : 'base64'),
    sourceIp: undefined,
  }
}
