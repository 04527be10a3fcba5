import { CodedError } from './errors.ts'
import { fixFor } from './fixes.ts'
import { callHook } from './lib/hooks.ts'
import { isA, memberOf, textOf } from './lib/member-of.ts'
import { printable } from './lib/printable.ts'

const LONGEST = 240
/** How much of a foreign message is looked at: the text of an operation may stand before what its server said. */
const MOST_READ = 4096
const MOST_MASKED = 1024
/** Causes may be a circle. */
const MOST_CAUSES = 8

/**
 * What an operator may read of an error, in one line: its message, what caused it, and the fix if it is known. Our own messages hold nothing
 * of strangers. Those of clients, servers and handlers may: they are shown without what they quote, and without what may be a secret.
 */
export function told(error: unknown): string {
  const cause = innermost(error)
  const own = ownMessage(error) ?? ''
  const said = ownMessage(cause) ?? masked(cause)
  const text = own && own !== said && said ? `${own} (${said})` : own || said || 'an error without a message'
  const fix = fixFor(`${beginning(cause, 'code')} ${beginning(cause, 'name')} ${said}`) // by what is shown
  return bounded(fix ? `${text.replace(/\.$/, '')}: ${fix}` : text)
}

/** Writes a line on the console, which may have been replaced and throw. */
export function writeWarning({ id }: { readonly id: string }, what: string, why: string, more: string): void {
  callHook(() => console.warn(`hookgate: listener ${JSON.stringify(id)} ${what}: ${why}${more}`))
}

const ownMessage = (error: unknown) => (isA(error, CodedError) ? textOf(error, 'message') : undefined)

/** What a client threw: other causes are what an ORM made of it, and may hold the statement with its values. */
function innermost(error: unknown): unknown {
  let found = error
  for (let depth = 0; depth < MOST_CAUSES; depth++) {
    const one = memberOf(memberOf(found, 'errors'), 0) // as Node throws them if a host has several addresses
    const next = memberOf(found, 'cause') ?? (textOf(found, 'message') ? undefined : one)
    if (textOf(next, 'message') === undefined && textOf(next, 'code') === undefined) break
    found = next
  }
  return found
}

const beginning = (cause: unknown, member: string) => (textOf(cause, member) ?? '').slice(0, MOST_READ)

/** The words before the name of something in a database. */
const NAMED =
  /\b(relation|table|index|column|schema|database|role|user|function|sequence|constraint|command|host)( )(["'`])([\w.$@-]{1,64})\3/gi

/** What servers say of passwords without telling one. */
const HARMLESS = /password authentication failed|username-password pair|using password: (?:YES|NO)/gi

/** What follows one of these may be one. */
const SECRET =
  /((?:\bpass|passw(?:or[dt]|d)|passphrase|passcode|pwd|secret|token|(?:api|access|account|private).?key|credential|authorization|cookie|\b(?:bearer|basic)|kennwort|パスワード)s?)(?![a-z])[\s\S]*/i

/** From the first quotation mark, of any language, to the last of any: what is quoted may hold some itself. */
const QUOTED = /(["`«»„“”‚‘‹›「『＂]|(?<!\w)')(?:[\s\S]*(["`'«»„“”‚‘’‹›」』＂])|[\s\S]*)/

/** Prisma's message quotes the server's in its last line. */
const PRISMA = /^\s*Invalid `[\s\S]*?Message: `(.*)`/

/** The first line of a foreign message, without quotations, credentials, and what looks like a token or data. */
function masked(cause: unknown): string {
  const message = beginning(cause, 'message') || beginning(cause, 'code')
  const text = (PRISMA.exec(message)?.[1] ?? message).trim()
  const kept: string[] = []
  const keep = (name: string) => `\uE000${kept.push(name) - 1}\uE001`
  const [line = ''] = (text.length > MOST_MASKED ? `${text.slice(0, MOST_MASKED)}"\`'»` : text) // ends what was quoted
    .replace(/[\uE000\uE001]/g, '')
    .replace(NAMED, keep)
    .replace(HARMLESS, keep)
    .replace(/\/\/[\s\S]*@/, '//…@') // a password may hold anything
    .replace(QUOTED, '$1…$2')
    .replace(/[{[][\s\S]*|(=)\s*\([\s\S]*/, '$1…') // data, and PostgreSQL's keys and rows
    .replace(SECRET, '$1 …')
    .replace(/=[^\s,;&)…]+/g, '=…')
    .replace(/(?<![\w+/=-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{20,}/g, '…')
    .replace(/\uE000(\d+)\uE001/g, (_, index) => kept[Number(index)] ?? '')
    .split(/[\r\n]/, 1) // after the marks that may stand on later ones
  return line
}

/** Text of somebody else's in one line, at most 240 characters of it, without what a terminal would obey. */
export function bounded(text: string): string {
  const line = printable(text).replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
