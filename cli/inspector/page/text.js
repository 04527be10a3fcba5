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

/** The same, with what stands between backticks as code. */
export function withCode(text) {
  return text
    .split('`')
    .flatMap((piece, at) => (at % 2 === 0 ? visible(piece) : [element('code', '', ...visible(piece))]))
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

/** Whether the bytes can be pasted: a terminal acts on control characters, even in quoted text. */
export function isPlain(bytes) {
  return isText(bytes) && !/[^\P{Cc}\t\n\r]/u.test(textOf(bytes))
}

/** The request as HTTP, as far as the page shows it: what is hidden stays hidden. */
export function httpOf({ method, path, headers, body }) {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const head = lines.map((line) =>
    visible(line)
      .map((node) => node.textContent ?? node)
      .join(''),
  )
  return `${head.join('\r\n')}\r\n\r\n${textOf(bytesOf(body))}`
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g
const MOST_COLOURED = 60_000

/** Indents JSON. Strings and numbers stay as they were written: parsing would round long numbers. Undefined for other text. */
export function indented(text) {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let written = ''
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  const tokens = text.match(TOKEN) ?? []
  for (const [index, token] of tokens.entries()) {
    const isOpening = /^[[{]$/.test(token)
    if (/^[\]}]$/.test(token)) {
      depth -= 1
      if (!/^[[{]$/.test(tokens[index - 1])) written += newLine()
    }
    written += token
    if (isOpening) depth += 1
    if (token === ':') written += ' '
    if (token === ',' || (isOpening && !/^[\]}]$/.test(tokens[index + 1] ?? ''))) written += newLine()
  }
  return written
}

/** Indents JSON, and lists the fields of a form. Undefined for other text. */
export function pretty(text, contentType) {
  if (/form-urlencoded/i.test(contentType)) {
    return [...new URLSearchParams(text)].flatMap(([name, value]) => [
      element('span', 'key', ...visible(name)),
      ' = ',
      ...visible(value),
      '\n',
    ])
  }
  const json = indented(text)
  if (json === undefined || json.length > MOST_COLOURED) return json && visible(json)
  const parts = json.split(/("(?:[^"\\]|\\.)*")/) // every second one is a string
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return visible(part)
    return element('span', parts[index + 1].startsWith(':') ? 'key' : 'string', ...visible(part))
  })
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

/** Date and time of day in UTC, as the terminal and records have it: 2026-11-27 and 17:04:59.120. */
export function utcOf(time) {
  return new Date(time).toISOString().slice(0, -1).split('T')
}

/** The verdict to filter by. A genuine event that is known, or still runs, is none that was refused. */
export function verdictOf({ verdict, reason }) {
  if (reason === 'event_duplicate') return 'duplicate'
  return reason === 'event_in_progress' ? 'undecided' : verdict
}

/** The colour of a verdict. An app that gave no answer is a reason too. */
export function toneOf(row) {
  const verdict = verdictOf(row)
  if (verdict === 'duplicate') return 'neutral'
  return verdict === 'accepted' && row.reason ? 'refused' : verdict
}

/** The colour of a status, which may be the app's. */
export function statusTone(status) {
  return status === null || status >= 300 ? 'refused' : ''
}
