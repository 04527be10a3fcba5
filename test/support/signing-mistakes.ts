import { createHmac } from 'node:crypto'

/** What a mistaken sender sent: `ID`, `AT` and `BODY`, unless given here. */
export interface Sent {
  readonly signature: string
  readonly body?: string
  readonly id?: string
  readonly timestamp?: string
}

export const SECRET = 'mistaken-sender-0123456789-abcdefghijklm'
export const AT = '1790000000'
export const ID = '0b34c1f2-9a3e-4f7b-8c2d-5e6f7a8b9c0d'
export const BODY = '{ "b": 1,\n  "a": [true, "x"] }'

export const spell = (digest: Buffer): string => digest.toString('base64url')

function mac(input: string, key: string | Buffer = SECRET): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

export const RIGHT: Buffer = mac(`${AT}.${ID}.${BODY}`)
const decoded = Buffer.from(SECRET, 'base64url')
const upper = ID.toUpperCase()

/** A delivery whose digest is spelt differently in the two alphabets. */
const standardBase64: Sent = ['', ' ', '  ', '   ', '    ']
  .map((space) => ({ body: BODY + space, signature: mac(`${AT}.${ID}.${BODY}${space}`).toString('base64') }))
  .find(({ signature }) => /[+/]/.test(signature)) ?? { signature: '' }

/** Mistakes of senders, and the words by which `explain` names each. */
export const MISTAKES: readonly (readonly [name: string, sent: Sent, words: RegExp])[] = [
  [
    'secret decoded',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, decoded)) },
    /decoded from base64 before it signed/,
  ],
  [
    'secret with newline',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, `${SECRET}\n`)) },
    /copy of the secret has a line break at its end/,
  ],
  [
    'secret with quotes',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, `"${SECRET}"`)) },
    /copy of the secret has quotes around it/,
  ],
  [
    'secret with a space',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, `${SECRET} `)) },
    /copy of the secret has a space at its end/,
  ],
  [
    'newline sent',
    { signature: spell(RIGHT), body: `${BODY}\n` },
    /body ends with a line break that the sender did not sign/,
  ],
  [
    'newline signed',
    { signature: spell(mac(`${AT}.${ID}.${BODY}\n`)) },
    /signed a line break at the end that did not arrive/,
  ],
  [
    'printed by JavaScript',
    { signature: spell(mac(`${AT}.${ID}.{"b":1,"a":[true,"x"]}`)) },
    /serialised again/,
  ],
  [
    'printed by Python',
    { signature: spell(mac(`${AT}.${ID}.{"b": 1, "a": [true, "x"]}`)) },
    /serialised again/,
  ],
  ['id first', { signature: spell(mac(`${ID}.${AT}.${BODY}`)) }, /order of Standard Webhooks/],
  ['timestamp and body', { signature: spell(mac(`${AT}.${BODY}`)) }, /timestamp\.body/],
  ['body alone', { signature: spell(mac(BODY)) }, /the body alone/],
  ['lower case signed', { signature: spell(RIGHT), id: upper }, /signed in lower case/],
  ['upper case signed', { signature: spell(mac(`${AT}.${upper}.${BODY}`)) }, /signed in upper case/],
  ['hex', { signature: RIGHT.toString('hex') }, /sent as hex/],
  ['standard base64', standardBase64, /standard base64[\s\S]*with padding/],
  ['padded', { signature: `${spell(RIGHT)}=` }, /with padding/],
  ['v1, prefix', { signature: `v1,${spell(RIGHT)}` }, /prefix v1,/],
  [
    'milliseconds signed',
    { signature: spell(mac(`${AT}123.${ID}.${BODY}`)) },
    /signed the timestamp in milliseconds/,
  ],
  ['milliseconds sent', { signature: spell(RIGHT), timestamp: `${AT}123` }, /is in milliseconds/],
  [
    'two at once',
    { signature: `v1,${mac(`${ID}.${AT}.${BODY}`, decoded).toString('base64')}` },
    /Standard Webhooks/,
  ],
  [
    'another secret',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, 'other')) },
    /nothing more specific was found/,
  ],
  ['no digest at all', { signature: 'nonsense' }, /not a signature in any common encoding/],
]
