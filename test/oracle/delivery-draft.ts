import type { Random } from './random.ts'

/** A delivery before it is signed. Its authentication signs it after the body and these headers are set. */
export interface DeliveryDraft {
  method: string
  headers: { [name: string]: string | readonly string[] }
  body: Buffer
  sourceIp?: string
  readonly odd: string[]
}

/** A way to make a delivery odd. Returns the name of what it did. */
export type Oddity<Subject> = (subject: Subject, random: Random, now: number) => string

/** Applies one or two of them. */
export function makeOdd<Subject extends { readonly odd: string[] }>(
  subject: Subject,
  oddities: readonly Oddity<Subject>[],
  random: Random,
  now: number,
): void {
  const times = random.chance(0.15) ? 2 : 1
  for (let time = 0; time < times; time++) {
    subject.odd.push(random.pick(oddities)(subject, random, now))
  }
}

/** The text of a header, wherever the draft has it. */
export function textOf(draft: DeliveryDraft, name: string): string {
  const value = draft.headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

/** Changes, removes or inserts one character. */
export function garble(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const put = random.pick([...'aA09-_=+/., \t"~', 'é', '\u0000', '\u212a', '\u017f', '\u0663', '😀'])
  return text.slice(0, at) + random.pick([put, put, '']) + text.slice(at + random.below(2))
}
