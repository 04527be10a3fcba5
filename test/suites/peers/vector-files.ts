import { readdirSync, readFileSync } from 'node:fs'

export interface VectorCase {
  readonly name: string
  readonly method: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
  readonly bodyBase64?: string
  /** Replaces the file's. */
  readonly options?: VectorOptions
  /** The requested URL, if it is not `publicUrl`. */
  readonly requestUrl?: string
  readonly expect: { readonly ok: boolean; readonly status?: number; readonly reason?: string }
  readonly sdk: 'accepts' | 'refuses' | 'not asked'
  /** Why we differ from the SDK. */
  readonly why?: string
}

export interface VectorOptions {
  readonly secrets?: unknown
  readonly publicKeys?: unknown
  readonly publicUrl?: string
}

export interface VectorFile {
  readonly scheme: string
  /** The package that judged it, or `documentation`. */
  readonly madeWith: string
  readonly source?: string
  readonly options: VectorOptions
  /** In seconds since 1970. */
  readonly now: number
  readonly cases: readonly VectorCase[]
  readonly notApplicable: { readonly [what: string]: string }
}

const folder = new URL('../../vectors/schemes/', import.meta.url)

export const vectorFiles: readonly VectorFile[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && name !== 'handshakes.json')
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
