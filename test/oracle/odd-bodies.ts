import type { DeliveryDraft, Oddity } from './delivery-draft.ts'
import { ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'

const MAX_BYTES = 65_536

const bytesAmid: Oddity<DeliveryDraft> = (draft, random) => {
  const hex = random.pick(ODD_TEXTS.bytes)
  const [before, after] = random.pick([
    ['"', '"'],
    ['{"a":"x', 'y"}'],
    ['', '{}'],
    ['{}', ''],
    ['"\\u0041', '\\n"'],
  ])
  draft.body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from(hex, 'hex'), Buffer.from(after ?? '')])
  return `bytes ${hex} in the body`
}

const utf16: Oddity<DeliveryDraft> = (draft, random) => {
  const text = random.pick(['{}', '\ufeff{}', '"a"', '1'])
  draft.body = Buffer.from(text, 'utf16le')
  if (random.chance(0.5)) draft.body.swap16()
  return 'UTF-16'
}

const deep: Oddity<DeliveryDraft> = (draft, random) => {
  const depth = random.pick([50, 500, 1001, 5000, 10_900])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"":', '}'],
    ['[{"a":', '}]'],
  ])
  const count = Math.min(depth, Math.floor(65_000 / ((open?.length ?? 0) + (close?.length ?? 0))))
  const missing = random.pick([0, 0, 0, 1])
  draft.body = Buffer.from(`${open?.repeat(count)}0${close?.repeat(count - missing)}`)
  return `depth ${count}, ${missing} left open`
}

const size: Oddity<DeliveryDraft> = (draft, random) => {
  const bytes = MAX_BYTES + random.pick([-1, 0, 1, 2])
  const [open, fill, close] = random.pick([
    ['"', 'a', '"'],
    ['1', '0', ''],
    ['[1', ' ', ']'],
    ['"é', 'a', '"'],
  ])
  const rest = bytes - Buffer.byteLength(`${open}${close}`)
  draft.body = Buffer.from(`${open}${fill?.repeat(rest)}${close}`)
  return `${bytes} bytes`
}

const longNumber: Oddity<DeliveryDraft> = (draft, random) => {
  const digits = '7'.repeat(random.pick([4299, 4300, 4301, 6000]))
  draft.body = Buffer.from(random.pick([digits, `-${digits}`, `0.${digits}`, `1e${digits}`, `[${digits}]`]))
  return 'a number of thousands of digits'
}

const text: Oddity<DeliveryDraft> = (draft, random) => {
  const chosen = random.pick(ODD_TEXTS.bodies)
  draft.body = Buffer.from(random.chance(0.7) ? chosen : wrap(chosen, random))
  return `body ${JSON.stringify(chosen)}`
}

function wrap(inner: string, random: Random): string {
  return random.pick([
    `[${inner}]`,
    `{"x":${inner}}`,
    ` ${inner} `,
    `[0,${inner},{}]`,
    `{"a":[${inner}],"b":1}`,
  ])
}

const garbled: Oddity<DeliveryDraft> = (draft, random) => {
  const at = random.below(draft.body.length + 1)
  const put = random.pick([
    random.bytes(1),
    random.bytes(2),
    Buffer.from(random.pick([...'[]{},:"\\0-e. '])),
    Buffer.of(),
  ])
  draft.body = Buffer.concat([draft.body.subarray(0, at), put, draft.body.subarray(at + random.below(3))])
  return 'body garbled'
}

/** Applied before signing, so that the signature is right. */
export const ODD_BODIES: readonly Oddity<DeliveryDraft>[] = [
  ...[text, text, text, text, text, bytesAmid, bytesAmid, garbled, garbled, garbled, garbled, utf16],
  ...[longNumber],
]

/** Slow to make. */
export const BIG_BODIES: readonly Oddity<DeliveryDraft>[] = [deep, size]
