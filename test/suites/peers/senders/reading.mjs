/** The arguments of the SDKs: headers and bodies in the forms that Node and the web give to a handler. */

/** As Node's `request.headers`: lower-case names, repeated ones joined. */
export function nodeHeaders(headers) {
  const joined = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    joined[key] = key in joined ? `${joined[key]}, ${value}` : value
  }
  return joined
}

export const text = (body) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)

/** For SDKs that throw to refuse. */
export async function passes(ask) {
  try {
    await ask()
    return true
  } catch {
    return false
  }
}
