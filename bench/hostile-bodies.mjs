// Bodies and headers that are expensive to read, which strangers can send. Each body fills `size` bytes.

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
  'text of 4 bytes a character': (size) => repeated('{"a":"', '😀', '"}', size),
  'arrays in arrays': (size) => '['.repeat(size),
  'objects in objects': (size) => repeated('', '{"a":', '', size),
  'many members': (size) => filled('{', (index) => `"${index.toString(36)}":0`, '}', size),
  'many elements': (size) => filled('[', () => '{}', ']', size),
  'one member again and again': (size) => filled('{', (index) => `"a":${index % 10}`, '}', size),
  escapes: (size) => repeated('{"a":"', '\\u0000', '"}', size),
  'escaped half of a surrogate pair': (size) => repeated('{"a":"', '\\ud800', '"}', size),
  'escaped quotes': (size) => repeated('{"a":"', '\\"', '"}', size),
  'control characters': (size) => '\u0001'.repeat(size),
  'line feeds': (size) => '\n'.repeat(size),
  blanks: (size) => repeated('', ' ', '{}', size),
  quotes: (size) => '"'.repeat(size),
  'deep and wide': (size) => filled('[', () => `${'[[0,'.repeat(20)}0${']]'.repeat(20)}`, ']', size),
  'numbers without end': (size) => filled('[', () => '1e400', ']', size),
  'one long number': (size) => '9'.repeat(size),
  'not UTF-8': (size) => Buffer.from(repeated('{"a":"', 'é', '"}', size)).fill(0xff, size - 9, size - 8),
  'byte order mark': (size) => `\ufeff${repeated('{"a":"', '\\n', '"}', size - 3)}`,
  XML: (size) => repeated('<a>', '<a b="&amp;"/>', '</a>', size),
  'base64url in three segments': (size) =>
    repeated('eyJhbGciOiJSUzI1NiJ9.', 'A', `.${'A'.repeat(342)}`, size),
  'form: many names': (size) => filled('', (index) => `${index.toString(36)}=`, '', size, '&'),
  'form: one name again and again': (size) => filled('', () => 'a=b', '', size, '&'),
  'form: percent-encoded': (size) => repeated('a=', '%41', '', size),
  'form: percent-encoded text': (size) => repeated('bt_signature=a&bt_payload=', '%C3%A9', '', size),
  'form: ampersands': (size) => '&'.repeat(size),
  'multipart: many parts': (size) =>
    filled('', () => part('a', '0'), `\r\n--${BOUNDARY}--\r\n`, size, '\r\n'),
  'multipart: many members': (size) => {
    const json = filled('{', (index) => `"${index.toString(36)}":0`, '}', size - 200)
    return `${part('json', json)}\r\n--${BOUNDARY}--\r\n`
  },
  'multipart: many lines': (size) =>
    repeated(`--${BOUNDARY}\r\n`, 'a\r\n', `\r\n\r\n--${BOUNDARY}--\r\n`, size),
}

/** The media type of a kind. Undefined for the sender's usual one. */
export function mediaTypeOf(kind) {
  if (kind.startsWith('form')) return FORM
  return kind.startsWith('multipart') ? MULTIPART : undefined
}

const base64url = (text) => Buffer.from(text).toString('base64url')

/** Values of a header of `size` bytes. */
export const HOSTILE_HEADERS = {
  'a long text': (size) => 'a'.repeat(size),
  commas: (size) => ','.repeat(size),
  'a long list': (size) => filled('', (index) => `v1=${index.toString(16).padStart(64, '0')}`, '', size),
  'a list of short items': (size) => filled('', () => 'a', '', size, ', '),
  'blanks and commas': (size) => ' ,'.repeat(size / 2),
  'pairs with semicolons': (size) => filled('', (index) => `h${index}=1`, '', size, ';'),
  'long base64': (size) => `${'/'.repeat(size - 2)}==`,
  'a token with a long payload': (size) =>
    `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(
      filled('{', (index) => `"${index.toString(36)}":0`, '}', (size - 100) * 0.75),
    )}.${'A'.repeat(43)}`,
  'a token with a long header': (size) =>
    `Bearer ${base64url(filled('{"alg":"RS256",', (index) => `"${index.toString(36)}":0`, '}', (size - 100) * 0.75))}.e30.AAAA`,
  'a dictionary of signatures': (size) =>
    filled('', (index) => `s${index}=("@method" "a");created=1`, '', size, ', '),
  'a long list of components': (size) => `sig1=(${filled('', (index) => `"x-${index}"`, '', size - 8, ' ')})`,
  'quotes and backslashes': (size) => `sig1=("${'\\"'.repeat(size / 2 - 8)}")`,
  digits: (size) => `t=${'9'.repeat(size - 2)}`,
}
