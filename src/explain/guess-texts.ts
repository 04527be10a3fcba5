import type { ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, type Text } from './guess.ts'

const PLACEHOLDER = /\{[^{}]+\}/g
const MOST_PARTS = 4
const MOST_TEXTS = 40
/** The order that custom senders take most often. */
const STANDARD_WEBHOOKS = '{id}.{timestamp}.{body}'

/**
 * The texts that may have been signed: a part missing, in another order, or with other dividers. `uuid`: the event ID, if it is
 * the same ID in either case.
 */
export function textGuesses({ scheme: { signs }, name }: ExpectedSender, uuid: string): readonly Guess[] {
  if (typeof signs !== 'string') return []
  const parts: readonly string[] = signs.match(PLACEHOLDER) ?? []
  if (parts.length < 2 || parts.length > MOST_PARTS) return []
  const [start = '', divider = ''] = signs.split(PLACEHOLDER)
  const orders = choicesOf(parts).filter((each) => !parts.includes('{body}') || each.includes('{body}'))
  const templates = [divider, '.', ':', ''].flatMap((each) => orders.map((order) => start + order.join(each)))
  if (start !== '' && parts.includes('{body}')) templates.unshift('{body}')
  const cases: readonly Text[] = [
    ['the event ID was signed in lower case', signs.replace('{id}', uuid.toLowerCase())],
    ['the event ID was signed in upper case', signs.replace('{id}', uuid.toUpperCase())],
  ]
  const texts = templates.map(
    (each): Text => [
      `${name} signed ${labelOf(each)}, not ${labelOf(signs)}: the scheme signs all of it, in this order`,
      each,
    ],
  )
  const all = [...(/^[\w-]+$/.test(uuid) ? cases : []), ...texts]
  return [...guessesOf(all, new Set([signs]), (each) => ({ signs: each }))].slice(0, MOST_TEXTS)
}

/** The timestamp in another unit. The milliseconds that were lost are unknown, but there are only a thousand. */
export function unitGuesses(
  { scheme: { signs, timestamp }, name }: ExpectedSender,
  timestampText: string,
): readonly Guess[] {
  if (typeof signs !== 'string' || !signs.includes('{timestamp}')) return []
  const says = (signed: string, sent: string) => [
    `${name} signed the timestamp in ${signed}, and sent it in ${sent}: sign the text that is sent`,
  ]
  if (timestamp?.unit === 'milliseconds' && /^[0-9]{13}$/.test(timestampText)) {
    const seconds = signs.replace('{timestamp}', timestampText.slice(0, 10))
    return [{ says: says('seconds', 'milliseconds'), signs: seconds }]
  }
  if (timestamp?.unit !== 'seconds' || !/^[0-9]{10}$/.test(timestampText)) return []
  return Array.from({ length: 1000 }, (_, ms) => ({
    says: says('milliseconds', 'seconds'),
    signs: signs.replace('{timestamp}', `{timestamp}${`${ms}`.padStart(3, '0')}`),
  }))
}

/** A template as people write it: `{timestamp}.{id}.{body}` becomes `timestamp.eventId.body`. */
function labelOf(template: string): string {
  if (template === '{body}') return 'the body alone'
  const label = template
    .replaceAll('{id}', '{eventId}')
    .replaceAll(/[{}]/g, (brace) => (brace === '{' ? '' : ' '))
    .replaceAll(/ (?=[^\w/])/g, '')
    .trim()
  return template === STANDARD_WEBHOOKS ? `${label} (the order of Standard Webhooks)` : label
}

/** Every choice of the parts, in every order: all of them first, in their own order. */
function choicesOf(parts: readonly string[]): readonly (readonly string[])[] {
  const longer = parts.flatMap((part, index) =>
    choicesOf(parts.toSpliced(index, 1)).map((rest) => [part, ...rest]),
  )
  return [...longer, []]
    .sort((one, other) => other.length - one.length)
    .filter((each, index, all) => index === all.findIndex((twin) => twin.join() === each.join()))
}
