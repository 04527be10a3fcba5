import { doubled, replaced, signatureValue, without, writeTime } from './deliver.mjs'
import { STRANGE } from './strange-times.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const stale = { ok: false, status: 400, reason: 'timestamp_out_of_range' }
const malformed = { ok: false, status: 400, reason: 'timestamp_malformed' }
const missing = { ok: false, status: 400, reason: 'header_missing' }

const AGE =
  'The SDK limits only the age. We also limit times in the future, which would keep a delivery valid for longer.'
const NO_CLOCK = 'The SDK never checks the signed time.'
const LOOSE = 'The SDK parses the leading number, or anything that JavaScript converts to a number.'
const YOUNGER =
  'The SDK has a shorter window, or none ahead. A clock that is slightly off should lose nothing.'

/** Empty if the sender signs no time or only the event's own. */
export function timeCases(recipe) {
  const { time, now } = recipe
  if (!time) return []
  if (time.of === 'event') return [...eventTimeCases(recipe), ...(time.header ? placeCases(recipe, now) : [])]
  return [...windowCases(recipe), ...strangeTimes(recipe), ...placeCases(recipe, now)]
}

function windowCases({ time, now, blind }) {
  const laxAhead = blind ? NO_CLOCK : AGE
  const { tolerance, ahead = tolerance, unit } = time
  const step = unit === 'milliseconds' ? 0.001 : 1
  const at = (name, offset, expect, more) => ({
    name,
    change: { time: writeTime(unit, now + offset) },
    sentAt: now + offset,
    expect,
    ...more,
  })
  if (tolerance === undefined) {
    return [
      at('a day old: the sender documents no tolerance', -86_400, { ok: true }),
      at('a day ahead: the sender documents no tolerance', 86_400, { ok: true }),
    ]
  }
  return [
    at(`signed ${tolerance} s ago, the oldest that passes`, -tolerance, { ok: true }, { strict: YOUNGER }),
    at('one step older than the tolerance', -tolerance - step, stale, { lax: NO_CLOCK }),
    at('a day old', -86_400, stale, { lax: NO_CLOCK }),
    at(`signed ${ahead} s ahead, the latest that passes`, ahead, { ok: true }, { strict: YOUNGER }),
    at('one step later than the tolerance', ahead + step, stale, { lax: laxAhead }),
    at('a day ahead', 86_400, stale, { lax: laxAhead }),
  ]
}

function strangeTimes({ time, now, blind }) {
  const kind = time.member ? 'json' : time.unit
  return STRANGE[kind](now).map((text) => ({
    name: `a malformed time, correctly signed: ${text}`,
    change: { time: text },
    // The comma ends the item there, so the header itself is malformed.
    expect: time.item && text.includes(',') ? mismatch : malformed,
    otherBody: time.member !== undefined,
    lax: blind ? NO_CLOCK : LOOSE,
    skip: time.item && text.includes(','),
  }))
}

function placeCases(recipe, now) {
  const { time, signature } = recipe
  const later = writeTime(time.unit, now - 1)
  const moved = [
    { name: 'the time changed after signing', change: { sentTime: () => later }, expect: mismatch },
    {
      name: 'junk after the time, added after signing',
      change: { sentTime: (text) => `${text}abc` },
      expect: mismatch,
      lax: 'The SDK signs the parsed number, not the received text. We sign the text.',
    },
  ]
  if (time.header) {
    return [
      ...moved,
      { name: 'no timestamp header', change: { headers: without(time.header) }, expect: missing },
      { name: 'an empty timestamp header', change: { headers: replaced(time.header, '') }, expect: missing },
      {
        name: 'the timestamp header twice',
        change: { headers: doubled(time.header) },
        expect: { ok: false, status: 400, reason: 'header_repeated' },
        lax: 'Node joins repeated headers with a comma, and the SDK reads the number before it.',
      },
    ]
  }
  if (!time.item) return []
  const bare = { ...recipe, time: undefined }
  const value = (name, write, more) => ({ name, change: { value: write }, expect: mismatch, ...more })
  return [
    ...moved,
    value('a signature header without its time', (_, { right }) => signatureValue(bare, '', [right])),
    value('a signature header with its time only', (_, { time: text }) => `${time.item}${text}`),
    value(
      'two times in the signature header, the second not signed',
      (all) => `${all}${signature.list}${time.item}${later}`,
      {
        lax: 'The SDK reads only the first timestamp. The sender writes one, so we refuse a header with two.',
      },
    ),
    value(
      'two times in the signature header, the first not signed',
      (all) => `${time.item}${later}${signature.list}${all}`,
      {
        lax: 'The SDK reads only the last timestamp. The sender writes one, so we refuse a header with two.',
      },
    ),
  ]
}

/** An event keeps its time over all retries, so only far older ones are refused. */
function eventTimeCases({ time, now }) {
  const at = (name, offset, expect, more) => ({
    name,
    change: { time: writeTime(time.unit, now + offset) },
    sentAt: now + offset,
    expect,
    ...more,
  })
  return [
    {
      name: 'an event whose time is malformed, correctly signed',
      change: { time: time.unit === 'rfc3339' ? 'yesterday' : '"yesterday"' },
      sentAt: null,
      expect: { ok: true },
    },
    at('an event of ten minutes ago, retried', -600, { ok: true }),
    at('an event of twenty-three hours ago, retried', -82_800, { ok: true }),
    at('an event of a year ago', -31_536_000, stale, {
      lax: 'The SDK never checks the event\u2019s time. A delivery that is older than all retries is not from the sender.',
    }),
  ]
}
