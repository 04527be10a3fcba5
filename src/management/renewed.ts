import type { Renewal } from './api.ts'
import { valueAt } from './json-parts.ts'

/** A subscription at your URL. */
export interface Renewed {
  /** Its ID at the sender. */
  readonly id: string
  /** `early`: more than half of its life is left. `due`: it is not, and nothing was asked to run. `failed`: see `why`. */
  readonly state: 'early' | 'due' | 'renewed' | 'failed'
  /** When it ends. Undefined if the sender does not say. */
  readonly until: Date | undefined
  /** Why it was not renewed, without anything secret. */
  readonly why?: string
}

/** Whether it will end within a quarter of its life: by then, a job should have renewed it. */
export function isEnding(item: Uint8Array, renewal: Renewal, now: number): boolean {
  const until = timeAt(item, renewal.expires)
  const lifeMs = lifeOf(item, renewal)
  return until !== undefined && lifeMs !== undefined && until.getTime() - now < lifeMs / 4
}

export function lifeOf(item: Uint8Array, { lives }: Renewal): number | undefined {
  const life = lives.find(({ fits }) =>
    Object.entries(fits).every(([at, form]) => form.test(String(valueAt(item, at) ?? ''))),
  )
  return life && life.minutes * 60_000
}

/** Milliseconds since 1970, which may be a text, or a text of ISO 8601, whose zone may lack its colon. */
export function timeAt(json: Uint8Array, pointer: string): Date | undefined {
  const value = valueAt(json, pointer)
  const text = typeof value === 'string' ? value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : value
  const known = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text
  const time = new Date(typeof known === 'number' || typeof known === 'string' ? known : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}
