import { type DeliveryDraft, garble } from './delivery-draft.ts'
import { fill, near, ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'

/** The same token respelt, cut, doubled, or too long. */
export function oddAuthorization(
  token: string,
  draft: DeliveryDraft,
  random: Random,
): string | readonly string[] {
  draft.odd.push('Authorization spelt otherwise')
  const [h = '', p = '', s = ''] = token.split('.')
  const upTo = (characters: number) => 'A'.repeat(characters - h.length - p.length - 2)
  const parts = {
    ...{ t: token, h, p, s },
    near: near(s, random.pick([1, 2, 3, 4, 8, 12, 15])),
    plus: token.replaceAll('-', '+').replaceAll('_', '/'),
    ...{ fill8191: upTo(8191), fill8192: upTo(8192), fill8193: upTo(8193) },
  }
  if (random.chance(0.1)) return random.pick([[`Bearer ${token}`, `Bearer ${token}`], [`Bearer ${token}`]])
  if (random.chance(0.1)) return `Bearer ${garble(token, random)}`
  return fill(random.pick(ODD_TEXTS.authorizations), parts)
}

const BYTES = ['ff', 'c080', 'eda080', 'f4908080', '00', '0a', 'c3a9']

/** A header or a payload that is not a JSON object in UTF-8, or only just. */
export function oddSegment(object: string, random: Random): Buffer {
  if (random.chance(0.2)) {
    const [before, after] = [Buffer.from(`${object.slice(0, -1)},"x":"`), Buffer.from('"}')]
    return Buffer.concat([before, Buffer.from(random.pick(BYTES), 'hex'), after])
  }
  if (random.chance(0.1)) return Buffer.from(garble(object, random))
  if (random.chance(0.05)) return Buffer.from(object, 'utf16le')
  return Buffer.from(fill(random.pick(ODD_TEXTS.segments), { o: object, m: object.slice(1, -1) }))
}
