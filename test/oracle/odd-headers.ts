import { type DeliveryDraft, garble, type Oddity, textOf } from './delivery-draft.ts'
import { fill, ODD_TEXTS } from './odd-texts.ts'

const timestamp: Oddity<DeliveryDraft> = (draft, random, now) => {
  const seconds = now + random.pick([-301, -300, -299, -1, 0, 1, 299, 300, 301, 302, 86_400, -86_400])
  const text = `${seconds}`
  const parts = { now: text, wide: text.replace('1', '１'), arabic: text.replace(/7|8/, '\u0667') }
  draft.headers['webhook-timestamp'] = random.chance(0.5)
    ? text
    : fill(random.pick(ODD_TEXTS.timestamps), parts)
  return 'timestamp'
}

const eventId: Oddity<DeliveryDraft> = (draft, random) => {
  const id = random.uuid()
  const [version, variant] = [random.pick([...'012356789abf']), random.pick([...'0789abcdefABCDEF'])]
  const parts = {
    ID: id.toUpperCase(),
    hex: id.replaceAll('-', ''),
    under: id.replaceAll('-', '_'),
    wide: id.replace(/[0-9]/, '４'),
    arabic: id.replace(/[0-9]/, '\u0664'),
    id,
  }
  draft.headers['webhook-event-id'] = random.pick([
    `${id.slice(0, 14)}${version}${id.slice(15)}`,
    `${id.slice(0, 19)}${variant}${id.slice(20)}`,
    garble(id, random),
    fill(random.pick(ODD_TEXTS.eventIds), parts),
    fill(random.pick(ODD_TEXTS.eventIds), parts),
  ])
  return 'event id'
}

/** Applied before signing. */
export const ODD_SIGNED_HEADERS: readonly Oddity<DeliveryDraft>[] = [timestamp, eventId]

const PLAIN_NAMES = ['content-type', 'webhook-timestamp', 'webhook-event-id', 'content-encoding']
const NAMES = [...PLAIN_NAMES, 'webhook-signature', 'authorization']

/** Changes to the text of any relevant header. */
function toAnyHeader(
  what: string,
  change: (
    text: string,
    ...rest: Parameters<Oddity<DeliveryDraft>>
  ) => string | readonly string[] | undefined,
): Oddity<DeliveryDraft> {
  return (draft, random, now) => {
    const name = random.pick(NAMES)
    const changed = change(textOf(draft, name), draft, random, now)
    if (changed === undefined) delete draft.headers[name]
    else draft.headers[name] = changed
    return `${name} ${what}`
  }
}

const repeated = toAnyHeader('repeated', (text, _, random) => {
  const others = [[text, 'x'], [text, ''], ['', text], [text, text, 'x'], ['', ''], [text], []] as const
  return random.pick([[text, text], [text, text], ...others])
})

const missing = toAnyHeader('missing', (_, __, random) =>
  random.chance(0.5) ? undefined : random.pick(['', '', ' ']),
)

const joined = toAnyHeader('joined', (text, _, random) =>
  random.pick([`${text}, ${text}`, `${text},${text}`, `, ${text}`, `${text},`, `"${text}"`]),
)

const garbled = toAnyHeader('garbled', (text, _, random) => garble(text, random))

const spaced = toAnyHeader('spaced', (text, _, random) => {
  const space = random.pick([' ', '\t', '\n', '\r\n', '\u00a0', '\ufeff', '\u2003'])
  return random.chance(0.5) ? space + text : text + space
})

const contentType: Oddity<DeliveryDraft> = (draft, random) => {
  const text = random.pick(ODD_TEXTS.contentTypes)
  draft.headers['content-type'] = random.chance(0.8) ? text : garble(text, random)
  return 'content type'
}

const encoding: Oddity<DeliveryDraft> = (draft, random) => {
  draft.headers['content-encoding'] = random.pick(ODD_TEXTS.contentEncodings)
  return 'content encoding'
}

const method: Oddity<DeliveryDraft> = (draft, random) => {
  draft.method = random.pick(ODD_TEXTS.methods)
  return 'method'
}

/** Applied after signing. */
export const ODD_HEADERS: readonly Oddity<DeliveryDraft>[] = [
  ...[contentType, contentType, contentType, repeated, repeated, missing, missing, joined],
  ...[garbled, garbled, spaced, encoding, method],
]
