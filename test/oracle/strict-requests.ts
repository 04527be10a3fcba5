import { signAs } from '../../src/testing/index.ts'
import { schemeFactory } from '../support/schemes.ts'
import type { Asked } from './reader.ts'

const NOW = 1_763_640_000
const SECRET = '66d14278483644d77d482fef6b5dcb7e6a5f88d9'
const STANDARD_SECRET = 'whsec_ZGVmYXVsdC1zZWNyZXQtb2YtMzItYnl0ZXMtMDAwMDE='
const PUBLIC_URL = 'https://example.com/hooks'

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** What parsers disagree about. */
const BODIES: readonly (string | Buffer)[] = [
  ...[
    '{}',
    '[]',
    '"a"',
    '0',
    'null',
    'true',
    '',
    ' ',
    ' {}\n',
    '\ufeff{}',
    '\u00a0{}',
    '{} x',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
  ],
  ...[
    'NaN',
    '[Infinity]',
    '{"id":-Infinity}',
    '{"id":01}',
    '{"id":+1}',
    '{"id":.5}',
    '{"a":1}// x',
    '"\u0001"',
    '"\\x"',
  ],
  ...[
    '1',
    '1.0',
    '1e3',
    '-0',
    '1.5',
    '1e400',
    '9007199254740991',
    '9007199254740993',
    '12345678901234567890.0',
    '1'.repeat(300),
  ].map(
    (number) =>
      `{"id":${number},"type":${number},"update_id":${number},"time":${number},"eventId":${number}}`,
  ),
  ...[
    '"a"',
    '""',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"é"',
    'true',
    'null',
    '[]',
    '{}',
    '"F5E5F430-F57B-4E6E-9FAC-D9128CD7232F"',
  ].map((id) => `{"id":${id},"type":${id},"update_id":${id},"time":${id},"eventId":${id}}`),
  '{"id":"first","id":"second"}',
  '{"__proto__":{"id":"inherited"}}',
  ...[64, 65, 400].map(deep),
  ...[
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
  ],
  ...['{"type":"a"}\n{"type":"b"}', '{"type":"a"}\n\n', '\n', '{}\n{', '<a/>', '\ufeff <a/>', 'x<a/>'],
  ...[
    'a=1',
    'a=1&a=2',
    'a=%zz',
    'a=%ff',
    '%ff=a',
    'a=%',
    'a&b',
    '&',
    '=',
    'a+b=c+d',
    '+{"a":1}',
    '%7B=1',
    '{a=1',
  ],
  ...[
    'payload=%7B%7D',
    'payload=%7B%7D&x=1',
    'payload=%7B%7D&payload=%7B%7D',
    'payload=%7B',
    'payload',
    'x=1&payload=1',
  ],
  ...[
    'type=a',
    '&type=a',
    'type=a&type=b',
    'type=a~',
    '[&type=a',
    '"&type=a',
    '"&type=a"',
    '{&type=a',
    '<&type=a',
  ],
  ...[
    'type=a b',
    'a b&type=a',
    'type=a\n',
    'type=a\u007f',
    'type=é',
    'type=a&b=%zz',
    'type=a&b=%ff',
    'type',
    ' type=a',
  ],
  ...[999, 1000].map((others) => `type=a${'&&b='.repeat(others)}`),
]

const TYPES = [
  ...['application/json', 'application/x-www-form-urlencoded', 'text/xml', 'application/x-ndjson', ''],
  ...[
    'application/hal+json',
    'APPLICATION/JSON ;charset=UTF8',
    'application/json; charset="utf\\-8"',
    'text/json',
  ],
  ...[
    'application/json; charset=latin1',
    'application/json; a="b',
    'application/json;;',
    'application/json, text/xml',
  ],
]

const SCHEMES = [
  'stripe',
  'slack',
  'github',
  'docusign',
  'auth0',
  'x',
  'telegram',
  'nylas',
  'square',
  'trello',
  'okta',
  'acuity',
  'gateway',
]

type Named = Asked & { readonly what: string }

/** Genuine signatures of what no sender sends: the two readers must agree on all of it. */
export async function strictRequests(): Promise<readonly Named[]> {
  const made: Named[] = []
  for (const scheme of SCHEMES) {
    const factory = await schemeFactory(scheme)
    const signsUrl = scheme === 'square' || scheme === 'trello'
    const secret = scheme === 'gateway' ? STANDARD_SECRET : SECRET
    const options = { secrets: secret, ...(signsUrl && { publicUrl: PUBLIC_URL }) }
    for (const [at, body] of BODIES.entries()) {
      const bytes = Buffer.from(body)
      const query = signsUrl && at % 2 === 0 ? '?a=1' : ''
      const target = signsUrl ? { publicUrl: PUBLIC_URL + query } : {}
      const signed = await signAs(factory, {
        secret,
        body: new Uint8Array(bytes),
        timestamp: NOW,
        ...target,
      })
      const headers = Object.entries(signed.headers).filter(([name]) => name.toLowerCase() !== 'content-type')
      for (const type of at % 8 === 0 ? TYPES : TYPES.slice(0, 3)) {
        const typed = type === '' ? headers : [...headers, ['content-type', type] as const]
        const asked = {
          scheme,
          options,
          now: NOW,
          method: 'POST',
          url: `/hooks${query}`,
          headers: typed,
          body: bytes,
        }
        made.push({ ...asked, what: `${scheme}, ${type}: ${bytes.toString('latin1').slice(0, 60)}` })
      }
    }
  }
  return [...made, ...manyItems(made)]
}

/** A header with other signatures before the right one: 10 are compared, and 64 items are read. */
function manyItems(made: readonly Named[]): readonly Named[] {
  const genuine = made.find(({ scheme }) => scheme === 'stripe')
  return [8, 9, 10, 61, 62, 63, 64].flatMap((count) => {
    const headers = genuine?.headers.map(([name, value]) => {
      const [time = '', signature = ''] = value.split(',v1=')
      const others = (prefix: string) => `${time}${`,${prefix}=00`.repeat(count)},v1=${signature}`
      return name.toLowerCase() === 'stripe-signature'
        ? ([name, others(count > 10 ? 'v0' : 'v1')] as const)
        : ([name, value] as const)
    })
    return genuine && headers ? [{ ...genuine, headers, what: `${count} items before the right one` }] : []
  })
}
