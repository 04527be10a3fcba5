import { deliver } from './deliver.mjs'

const asText = (body) => {
  const text = body.toString('utf8')
  return Buffer.from(text, 'utf8').equals(body) ? { body: text } : { bodyBase64: body.toString('base64') }
}

/** White space in front of JSON changes the signature and nothing else. */
const salted = (recipe, change, count) => {
  const body = change.body ?? recipe.body
  const pad = (text) => (recipe.salt ?? ((each, n) => ' '.repeat(n) + each))(text, count)
  return { ...change, body: typeof body === 'function' ? (time) => pad(body(time)) : pad(body) }
}

/** The first delivery whose signature the case can respell. */
function suited(recipe, { change = {}, needs }) {
  if (!needs) return deliver(recipe, change)
  for (let count = 0; count < 64; count += 1) {
    let fits = false
    const spelling = (raw) => {
      fits = needs(raw)
      return change.spelling(raw)
    }
    const delivery = deliver(recipe, { ...salted(recipe, change, count), spelling })
    if (fits) return delivery
  }
  throw new Error(`${recipe.scheme}: no signature has that other spelling`)
}

/** The expected event of an accepted case, as far as the case specifies it. */
function expected(recipe, given) {
  if (!given.expect.ok) return given.expect
  const { expect = {}, id, time } = recipe
  const ownBody = !given.otherBody
  const eventId =
    given.id === undefined ? (id?.header ? id.value : ownBody ? expect.id : undefined) : given.id
  const ownType = given.type !== null && (recipe.typeInHeader || ownBody) ? expect.type : undefined
  const sentAt =
    time && (time.of !== 'event' || ownBody)
      ? given.sentAt === undefined
        ? recipe.now
        : given.sentAt
      : undefined
  const all = {
    ok: true,
    id: eventId ?? undefined,
    type: given.expect.type ?? ownType,
    sentAt: sentAt ?? undefined,
    secretId: given.expect.secretId,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** A case as written to the file, still without the SDK's verdict. */
export function writtenCase(recipe, given) {
  const { method, headers, body } = given.delivery ?? suited(recipe, given)
  return {
    name: given.name,
    method,
    headers,
    ...asText(body),
    ...(given.options && { options: given.options }),
    ...(given.requestUrl && { requestUrl: given.requestUrl }),
    expect: expected(recipe, given),
  }
}
