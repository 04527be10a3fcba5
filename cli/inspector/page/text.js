/** Invisible characters: controls, text directions, zero widths, lone surrogates. Not tabs and line feeds. */
const UNSEEN = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu

/** Makes an element with text. Text is never parsed as HTML. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...content)
  return made
}

/** A titled part of the page. */
export function part(title, content, ...beside) {
  return element('section', '', element('header', '', element('h3', '', title), ...beside), content)
}

/** Text directions, zero widths and line separators. */
const FORMAT = /[\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text to edit: JSON, with escapes for what an input field would not show. Undefined for other text with such characters. */
export function editable(text) {
  const escaped = text.replace(FORMAT, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
  if (escaped === text) return text
  try {
    JSON.parse(text)
    return escaped
  } catch {
    return undefined
  }
}

/** Makes every character of an untrusted text visible. */
export function visible(text) {
  const nodes = []
  let at = 0
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > at) nodes.push(text.slice(at, index))
    nodes.push(element('span', 'unseen', `\\u{${character.codePointAt(0).toString(16)}}`))
    at = index + character.length
  }
  nodes.push(text.slice(at))
  return nodes
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

export function textOf(bytes) {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Whether the bytes are UTF-8, so that they can be edited as text without loss. */
export function isText(bytes) {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g
const MOST_COLOURED = 60_000

/** Indents JSON. Strings and numbers stay as they were written: parsing would round long numbers. */
export function pretty(text, contentType) {
  if (/form-urlencoded/i.test(contentType)) {
    return [...new URLSearchParams(text)].flatMap(([name, value]) => [
      element('span', 'key', ...visible(name)),
      ' = ',
      ...visible(value),
      '\n',
    ])
  }
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const nodes = []
  let depth = 0
  const tokens = text.match(TOKEN) ?? []
  for (const [index, token] of tokens.entries()) {
    const isEmpty = /^[[{]$/.test(token) && /^[\]}]$/.test(tokens[index + 1] ?? '')
    if (/^[\]}]$/.test(token)) {
      depth -= 1
      if (!/^[[{]$/.test(tokens[index - 1])) nodes.push(`\n${'  '.repeat(depth)}`)
    }
    nodes.push(...coloured(token, tokens[index + 1], text.length))
    if (/^[[{]$/.test(token)) depth += 1
    if (token === ':') nodes.push(' ')
    if (token === ',' || (/^[[{]$/.test(token) && !isEmpty)) nodes.push(`\n${'  '.repeat(depth)}`)
  }
  return nodes
}

function coloured(token, next, length) {
  if (token[0] !== '"' || length > MOST_COLOURED) return visible(token)
  return [element('span', next === ':' ? 'key' : 'string', ...visible(token))]
}

const ROW = 16

export function hex(bytes) {
  const lines = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)]
    const pairs = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${pairs.padEnd(ROW * 3 - 1)}  ${text}`)
  }
  return lines.join('\n')
}

/** The local time of day: 17:04:59.120. */
export function clockOf(time) {
  const at = new Date(time)
  return `${at.toLocaleTimeString('en-GB')}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** The colour of a verdict: green only if the event is done. */
export function toneOf({ verdict, reason, status }) {
  if (reason === 'event_duplicate') return 'neutral'
  if (reason === 'event_in_progress') return 'undecided'
  return verdict === 'accepted' && (status === null || status >= 400) ? 'refused' : verdict
}
