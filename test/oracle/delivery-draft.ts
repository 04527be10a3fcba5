import type { Random } from './random.ts'

/** A delivery while it is made. What is signed is decided by its authentication, after the body and these headers. */
export interface DeliveryDraft {
  method: string
  headers: { [name: string]: string | readonly string[] }
  body: Buffer
  sourceIp?: string
  readonly odd: string[]
}

/** One way to make a delivery odd. It names what it did. */
export type Oddity<Subject> = (subject: Subject, random: Random, now: number) => string

/** Does one or two of them. */
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

/** A header's text, wherever it has one. */
export function textOf(draft: DeliveryDraft, name: string): string {
  const value = draft.headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

/** Changes one character, drops one, or puts one in. */
export function garble(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const put = random.pick([...'aA09-_=+/., \t"~', 'é', '\u0000', '\u212a', '\u017f', '\u0663', '😀'])
  return text.slice(0, at) + random.pick([put, put, '']) + text.slice(at + random.below(2))
}
