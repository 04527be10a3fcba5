import type { ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, type Text } from './guess.ts'

const PLACEHOLDER = /\{[^{}]+\}/g
const MOST_PARTS = 4
const MOST_TEXTS = 40
/** The order that custom senders take most often. */
const STANDARD_WEBHOOKS = '{id}.{timestamp}.{body}'

/** The texts that may have been signed: a part missing, in another order, or with other dividers. */
export function textGuesses({ scheme: { signs }, name }: ExpectedSender, eventId: string): readonly Guess[] {
  if (typeof signs !== 'string') return []
  const parts: readonly string[] = signs.match(PLACEHOLDER) ?? []
  if (parts.length < 2 || parts.length > MOST_PARTS) return []
  const [start = '', divider = ''] = signs.split(PLACEHOLDER)
  const says = (template: string) =>
    `${name} signed ${labelOf(template)}, not ${labelOf(signs)}: the scheme signs all of it, in this order`
  const orders = subsets(parts).filter((each) => !parts.includes('{body}') || each.includes('{body}'))
  const templates = [divider, '.', ':', ''].flatMap((each) => orders.map((order) => start + order.join(each)))
  const cases: readonly Text[] = [
    ['the event ID was signed in lower case', signs.replace('{id}', eventId.toLowerCase())],
    ['the event ID was signed in upper case', signs.replace('{id}', eventId.toUpperCase())],
  ]
  const texts = templates.map((each): Text => [says(each), each])
  return guessesOf([...(/^[\w-]+$/.test(eventId) ? cases : []), ...texts], [signs], (each) => ({
    signs: each,
  })).slice(0, MOST_TEXTS)
}

/** The timestamp in another unit. The milliseconds that were lost are unknown, but there are only a thousand. */
export function unitGuesses(
  { scheme: { signs, timestamp }, name }: ExpectedSender,
  timestampText: string,
): readonly Guess[] {
  if (typeof signs !== 'string' || !signs.includes('{timestamp}') || timestamp === undefined) return []
  if (timestamp.unit === 'milliseconds' && /^[0-9]{13}$/.test(timestampText)) {
    const says = [`${name} signed the timestamp in seconds`]
    return [{ says, signs: signs.replace('{timestamp}', timestampText.slice(0, 10)) }]
  }
  if (timestamp.unit !== 'seconds' || !/^[0-9]{10}$/.test(timestampText)) return []
  const says = [`${name} signed the timestamp in milliseconds: sign the very text that is sent`]
  return Array.from({ length: 1000 }, (_, ms) => ({
    says,
    signs: signs.replace('{timestamp}', `{timestamp}${`${ms}`.padStart(3, '0')}`),
  }))
}

function labelOf(template: string): string {
  if (template === '{body}') return 'the body alone'
  const words = template
    .replaceAll('{id}', '{eventId}')
    .replaceAll(/[{}]/g, (brace) => (brace === '{' ? '' : ' '))
  const label = words.replaceAll(/ (?=[^\w/])/g, '').trim()
  return template === STANDARD_WEBHOOKS ? `${label} (the order of Standard Webhooks)` : label
}

/** Every choice of the parts, in every order: all of them first, in their own order. */
function subsets(parts: readonly string[]): readonly (readonly string[])[] {
  const longer = parts.flatMap((part, index) =>
    subsets(parts.toSpliced(index, 1)).map((rest) => [part, ...rest]),
  )
  return [...longer, []]
    .sort((one, other) => other.length - one.length)
    .filter((each, index, all) => index === all.findIndex((twin) => twin.join() === each.join()))
}
