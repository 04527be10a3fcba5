// Bodies that are expensive to parse, each filling `size` bytes. Strangers can send all of them.

/** As many parts as fit between `start` and `end`, joined. */
function filled(start, part, end, size, joint = ',') {
  const parts = []
  for (let index = 0, length = start.length + end.length; ; index += 1) {
    const next = part(index)
    length += next.length + joint.length
    if (length > size) return start + parts.join(joint) + end
    parts.push(next)
  }
}

const repeated = (start, part, end, size) =>
  start + part.repeat((size - start.length - end.length) / Buffer.byteLength(part)) + end

const BOUNDARY = 'a-boundary'
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`
const part = (name, value) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}`

/** Each kind: its media type, if it is not the sender's usual one, and its text. */
export const HOSTILE_BODIES = {
  'one string': (size) => repeated('{"a":"', 'a', '"}', size),
  'text of 2 bytes a character': (size) => repeated('{"a":"', 'é', '"}', size),
  'arrays in arrays': (size) => '['.repeat(size),
  'objects in objects': (size) => repeated('', '{"a":', '', size),
  'many members': (size) => filled('{', (index) => `"${index.toString(36)}":0`, '}', size),
  'many elements': (size) => filled('[', () => '{}', ']', size),
  'one member again and again': (size) => filled('{', (index) => `"a":${index % 10}`, '}', size),
  escapes: (size) => repeated('{"a":"', '\\u0000', '"}', size),
  'deep and wide': (size) => filled('[', () => `${'[[0,'.repeat(20)}0${']]'.repeat(20)}`, ']', size),
  'numbers without end': (size) => filled('[', () => '1e400', ']', size),
  'one long number': (size) => '9'.repeat(size),
  'not UTF-8': (size) => Buffer.from(repeated('{"a":"', 'é', '"}', size)).fill(0xff, size - 9, size - 8),
  'byte order mark': (size) => `\ufeff${repeated('{"a":"', '\\n', '"}', size - 3)}`,
  'form: many names': (size) => filled('', (index) => `${index.toString(36)}=`, '', size, '&'),
  'form: one name again and again': (size) => filled('', () => 'a=b', '', size, '&'),
  'form: percent-encoded': (size) => repeated('a=', '%41', '', size),
  'form: percent-encoded text': (size) => repeated('bt_signature=a&bt_payload=', '%C3%A9', '', size),
  'multipart: many parts': (size) =>
    filled('', () => part('a', '0'), `\r\n--${BOUNDARY}--\r\n`, size, '\r\n'),
  'multipart: many members': (size) => {
    const json = filled('{', (index) => `"${index.toString(36)}":0`, '}', size - 200)
    return `${part('json', json)}\r\n--${BOUNDARY}--\r\n`
  },
  'multipart: many lines': (size) =>
    repeated(`--${BOUNDARY}\r\n`, 'a\r\n', `\r\n\r\n--${BOUNDARY}--\r\n`, size),
}

/** The media type of a kind. Undefined for JSON. */
export function mediaTypeOf(kind) {
  if (kind.startsWith('form')) return FORM
  return kind.startsWith('multipart') ? MULTIPART : undefined
}
