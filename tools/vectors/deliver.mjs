import { spell } from './spelling.mjs'

/** A time as the sender writes it. */
export function writeTime(unit, seconds) {
  if (unit === 'seconds') return String(seconds)
  if (unit === 'milliseconds') return String(Math.round(seconds * 1000))
  const date = new Date(seconds * 1000)
  if (unit === 'http-date') return date.toUTCString()
  return unit === 'utc' ? date.toISOString().slice(0, -1) : date.toISOString()
}

const bytes = (body) => (typeof body === 'string' ? Buffer.from(body, 'utf8') : body)

/** The value of the signature header, for one or several signatures. */
export function signatureValue({ signature, time }, timeText, texts) {
  const join = signature.join ?? signature.list ?? ','
  const items = texts.map((text) => `${signature.prefix ?? ''}${text}`)
  return (time?.item !== undefined ? [`${time.item}${timeText}`, ...items] : items).join(join)
}

/** What a change may set: the secret, the signed parts, and what happens on the way. */
const honest = (recipe) => ({
  secret: recipe.keys.new,
  time: recipe.time && writeTime(recipe.time.unit, recipe.now),
  id: recipe.id?.value,
  url: recipe.publicUrl,
  method: 'POST',
  spelling: (raw) => spell(raw, recipe.signature.encoding),
  value: (value) => value,
  sentBody: (body) => body,
  sentTime: (time) => time,
  headers: (list) => list,
})

/** A delivery of a scheme as the sender's documents describe it, with at most one change. */
export function deliver(recipe, change = {}) {
  const how = { ...honest(recipe), ...change }
  const written = how.body ?? recipe.body
  const body = bytes(typeof written === 'function' ? written(how.time) : written)
  const signed = { secret: how.secret, id: how.id, time: how.time, url: how.url, method: how.method, body }
  const signWith = (other) => recipe.signature.sign({ ...signed, ...other })
  const sentTime = how.sentTime(how.time)
  const right = how.spelling(signWith({}))
  const value = how.value(signatureValue(recipe, sentTime, [right]), {
    right,
    signWith,
    signed,
    time: sentTime,
  })
  const { id, time, signature } = recipe
  const headers = [
    ...(recipe.contentType === null ? [] : [['Content-Type', recipe.contentType ?? 'application/json']]),
    ...(recipe.extra ?? []),
    ...(id?.header ? [[id.header, how.sentId ?? how.id]] : []),
    ...(time?.header ? [[time.header, sentTime]] : []),
    [signature.header, value],
    ...(how.also ? [how.also(signed)] : []),
  ]
  return { method: how.sentMethod ?? 'POST', headers: how.headers(headers), body: bytes(how.sentBody(body)) }
}

export const without = (name) => (list) => list.filter(([each]) => each !== name)
export const replaced = (name, value) => (list) =>
  list.map(([each, old]) => [each, each === name ? value : old])
export const doubled = (name) => (list) => list.flatMap((each) => (each[0] === name ? [each, each] : [each]))
