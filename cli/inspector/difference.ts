import type { Inspected, WireHeaders } from './inspected.ts'
import { isMasked } from './mask.ts'

/** What a delivery changes of an accepted one. Escape its texts: they are the sender's, or a stranger's. */
export interface Difference {
  /** The number of the accepted delivery. */
  readonly seq: number
  /** Where the bodies differ, in order. Empty if they are equal. */
  readonly changes: readonly Change[]
  /** Whether there are more changes than these. */
  readonly hasMore: boolean
  /** Whether a part of a body was not kept, and so not compared. */
  readonly isPartial: boolean
  /** Null where the header is missing. */
  readonly headers: readonly {
    readonly name: string
    readonly was: string | null
    readonly is: string | null
  }[]
}

/** Bytes in place of others. What is no UTF-8 is written as `\xNN`, and a long text is cut. */
interface Change {
  /** The offset in the accepted body, in bytes. */
  readonly at: number
  readonly before: string
  readonly was: string
  readonly is: string
  readonly after: string
}

const MOST_CHANGES = 40
const MOST_HEADERS = 20
/** In bytes. */
const CONTEXT = 32
const LONGEST_SHOWN = 200
/** Between longer texts, in bytes, only the first and the last difference are found. */
const LONGEST_ALIGNED = 128 * 1024
/** How many tokens may be added and removed. The time to find them grows with it. */
const MOST_EDITS = 100

/** Compares two masked deliveries. Leaves out every header of which a part is hidden. */
export function differenceOf(accepted: Inspected, delivery: Inspected): Difference {
  const [was, is] = [accepted.body, delivery.body].map((body) => Buffer.from(body).toString('latin1')) as [
    string,
    string,
  ]
  const found = changesOf(was, is)
  return {
    seq: accepted.seq,
    changes: found.slice(0, MOST_CHANGES).map((span) => shown(span, was, is)),
    hasMore: found.length > MOST_CHANGES,
    isPartial: accepted.truncated || delivery.truncated,
    headers: changedHeaders(accepted.headers, delivery.headers),
  }
}

/** Two ranges that differ. */
interface Span {
  readonly was: readonly [start: number, end: number]
  readonly is: readonly [start: number, end: number]
}

/** Each character stands for a byte. */
function changesOf(was: string, is: string): readonly Span[] {
  const start = commonStart(was, is)
  const end = commonEnd(was.slice(start), is.slice(start))
  const [first, second] = [was.slice(start, was.length - end), is.slice(start, is.length - end)]
  if (first === '' && second === '') return []
  const moved = ({ was, is }: Span): Span => ({
    was: [was[0] + start, was[1] + start],
    is: [is[0] + start, is[1] + start],
  })
  const whole: Span = { was: [0, first.length], is: [0, second.length] }
  const found =
    byPosition(first, second) ?? byToken(first, second)?.map((span) => trimmed(span, first, second))
  return (found ?? [whole]).map(moved)
}

/** For bodies of one length: a body in which a few bytes were changed, however long it is. */
function byPosition(was: string, is: string): readonly Span[] | undefined {
  if (was.length !== is.length) return undefined
  const spans: Span[] = []
  for (let at = 0; at < was.length; at += 1) {
    if (was.charCodeAt(at) === is.charCodeAt(at)) continue
    if (spans.length === MOST_CHANGES) return undefined
    const start = at
    while (at < was.length && was.charCodeAt(at) !== is.charCodeAt(at)) at += 1
    spans.push({ was: [start, at], is: [start, at] })
  }
  return spans
}

/** Words, runs of white space, and all other characters one by one. Bytes above 127 belong to a word, so that UTF-8 stays whole. */
const TOKEN = /[\w\x80-\xff.-]+|\s+|./gs

/** The shortest edit script of tokens (Myers, 1986). Undefined if there are more than `MOST_EDITS`, or if the texts are too long. */
function byToken(was: string, is: string): readonly Span[] | undefined {
  if (was.length + is.length > LONGEST_ALIGNED) return undefined
  const [a, b] = [was.match(TOKEN) ?? [], is.match(TOKEN) ?? []]
  const furthest = new Map([[1, 0]])
  const rounds: ReadonlyMap<number, number>[] = []
  for (let edits = 0; edits <= Math.min(MOST_EDITS, a.length + b.length); edits += 1) {
    rounds.push(new Map(furthest))
    for (let line = -edits; line <= edits; line += 2) {
      let { x } = stepFrom(furthest, line, edits)
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1
      furthest.set(line, x)
      if (x >= a.length && x - line >= b.length) return spansOf(rounds, a, b)
    }
  }
  return undefined
}

/** Where a step to this diagonal ends: down, which adds a token, or to the right, which removes one. */
function stepFrom(furthest: ReadonlyMap<number, number>, line: number, edits: number) {
  const [left, right] = [furthest.get(line - 1) ?? -1, furthest.get(line + 1) ?? -1]
  const isDown = line === -edits || (line !== edits && left < right)
  return { isDown, x: isDown ? right : left + 1 }
}

/** Follows the rounds back, and joins steps that touch. */
function spansOf(
  rounds: readonly ReadonlyMap<number, number>[],
  a: readonly string[],
  b: readonly string[],
): readonly Span[] {
  const steps: [x: number, y: number, toX: number, toY: number][] = []
  let [x, y] = [a.length, b.length]
  for (let edits = rounds.length - 1; edits > 0; edits -= 1) {
    const before = rounds[edits] ?? new Map<number, number>()
    const line = x - y
    const { isDown, x: toX } = stepFrom(before, line, edits)
    const fromX = isDown ? toX : toX - 1
    const fromY = isDown ? toX - line - 1 : toX - line
    const [last] = steps
    if (last && last[0] === toX && last[1] === toX - line) steps[0] = [fromX, fromY, last[2], last[3]]
    else steps.unshift([fromX, fromY, toX, toX - line])
    ;[x, y] = [fromX, fromY]
  }
  const [ofA, ofB] = [offsetsOf(a), offsetsOf(b)]
  return steps.map(([fromX, fromY, toX, toY]) => ({
    was: [ofA[fromX] ?? 0, ofA[toX] ?? 0],
    is: [ofB[fromY] ?? 0, ofB[toY] ?? 0],
  }))
}

function offsetsOf(tokens: readonly string[]): readonly number[] {
  const offsets = [0]
  for (const token of tokens) offsets.push((offsets.at(-1) ?? 0) + token.length)
  return offsets
}

/** Without the bytes at both ends that are equal. */
function trimmed({ was, is }: Span, first: string, second: string): Span {
  const [old, now] = [first.slice(...was), second.slice(...is)]
  const start = commonStart(old, now)
  const end = commonEnd(old.slice(start), now.slice(start))
  return { was: [was[0] + start, was[1] - end], is: [is[0] + start, is[1] - end] }
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return at
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(a.length - 1 - at) === b.charCodeAt(b.length - 1 - at)) at += 1
  return at
}

/** How many bytes of a UTF-8 character may follow its first one. */
const MOST_FOLLOWING = 3

/**
 * A change with what stands around it. Its ends move outwards to whole characters of UTF-8, and no further: in bytes that are no UTF-8,
 * the two bodies may be within a character by turns.
 */
function shown(span: Span, was: string, is: string): Change {
  const isSplit = (atWas: number, atIs: number) => isWithin(was, atWas) || isWithin(is, atIs)
  let [start, end] = [0, 0]
  const mostBefore = Math.min(MOST_FOLLOWING, span.was[0], span.is[0])
  while (start < mostBefore && isSplit(span.was[0] - start, span.is[0] - start)) start += 1
  while (end < MOST_FOLLOWING && isSplit(span.was[1] + end, span.is[1] + end)) end += 1
  const [from, to] = [span.was[0] - start, span.was[1] + end]
  let [before, after] = [Math.max(0, from - CONTEXT), Math.min(was.length, to + CONTEXT)]
  while (before < from && isWithin(was, before)) before += 1
  while (after > to && isWithin(was, after)) after -= 1
  return {
    at: span.was[0],
    before: textOf(was.slice(before, from)),
    was: cut(was.slice(from, to)),
    is: cut(is.slice(span.is[0] - start, span.is[1] + end)),
    after: textOf(was.slice(to, after)),
  }
}

/** Whether the byte there goes on with a character of UTF-8. A character has at most three of them. */
function isWithin(bytes: string, at: number): boolean {
  const isPart = (index: number) => (bytes.charCodeAt(index) & 0xc0) === 0x80
  return isPart(at) && !(isPart(at - 1) && isPart(at - 2) && isPart(at - 3))
}

function cut(bytes: string): string {
  if (bytes.length <= LONGEST_SHOWN) return textOf(bytes)
  let end = LONGEST_SHOWN
  while (isWithin(bytes, end)) end -= 1
  return `${textOf(bytes.slice(0, end))}… (${(bytes.length - end).toLocaleString('en')} more bytes)`
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: string): string {
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
  }
}

function changedHeaders(was: WireHeaders, is: WireHeaders): Difference['headers'] {
  const [before, after] = [valuesOf(was), valuesOf(is)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, was: before.get(name) ?? null, is: after.get(name) ?? null }))
    .filter((each) => each.was !== each.is && ![each.was, each.is].some((value) => value && isMasked(value)))
    .slice(0, MOST_HEADERS)
    .map(({ name, was, is }) => ({
      name: name.slice(0, LONGEST_SHOWN),
      was: shortened(was),
      is: shortened(is),
    }))
}

const shortened = (value: string | null) => value?.slice(0, LONGEST_SHOWN) ?? null

/** The lines of a repeated header are joined, as a proxy joins them. */
function valuesOf(headers: WireHeaders): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    const known = values.get(name)
    values.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return values
}
