import { randomNumbers } from '../../support/random-numbers.ts'

/** Spellings that JSON.stringify(JSON.parse(…)) would change. */
const VALUES = [
  '1.0',
  '1e3',
  '-0',
  '0.10',
  '12345678901234567890',
  'true',
  'null',
  '""',
  '[ ]',
  '{ }',
  '"\\u00e9 \\u0041 \\/ \\ud83d\\ude80"',
  '"<b>&amp;</b>"',
  '"Grüße, 漢字, 🚀, \u2028, \u00a0"',
  '"a=1&b=2;c,d.e:f|g"',
  '"%27 %2f + %zz"',
  '"\\"\\\\\\b\\f\\n\\r\\t\\u0000"',
  '[1,\t[2 , {"a":[]}]]',
  '{"x": {"x": {"x": "deep"}}}',
]
const SPACES = ['', ' ', '  ', '\n', '\r\n', '\t']

/** Members of a JSON object, with spellings and white space as senders write them. The last one is lower-case text. */
export function randomMembers(seed: number): string {
  const random = randomNumbers(seed)
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
  const space = () => pick(SPACES)
  const members = Array.from({ length: 1 + Math.floor(random() * 6) }, (_, index) => {
    return `${space()}"r${index}é"${space()}:${space()}${pick(VALUES)}${space()},`
  })
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(random() * 26)))
  return `${members.join('')}${space()}"letters": "${letters.join('')}",${space()}`
}

/** A form with the encodings that browsers and servers write. */
export function randomForm(seed: number): string {
  const random = randomNumbers(seed)
  const names = ['Body', 'body', 'From', 'Media[0]', 'a b', 'ä', '🚀', '_', 'Ünïcode', '+']
  const values = [
    '',
    'Hi there',
    '+15017122661',
    'ä 漢字 🚀',
    '100%',
    'a&b=c',
    '~*()!\'"',
    '\r\n',
    '1',
    '\u0000',
  ]
  const form = new URLSearchParams([['letters', 'abcdefg']])
  for (let count = Math.floor(random() * 8); count > 0; count -= 1) {
    const name = names[Math.floor(random() * names.length)] ?? ''
    form.append(name, values[Math.floor(random() * values.length)] ?? '')
  }
  const written = `${form}`
  return random() < 0.5 ? written.replaceAll('+', '%20') : written
}

/** The same with one letter changed, also inside Braintree's base64. */
export const withAnotherLetter = (body: string): string =>
  body.replace(
    /(letters\W+|bt_payload=)([A-Za-z])/,
    (_, before, letter) => before + (letter === 'x' ? 'y' : 'x'),
  )
