import { mock } from 'node:test'

/** The secrets or public keys of a vector's `options`. One undefined entry if the scheme has none. */
export function keysOf({ secrets, publicKeys }) {
  const given = [secrets ?? publicKeys].flat()
  return given.map((key) => key?.secret ?? key)
}

export const bodyOf = ({ body, bodyBase64 }) =>
  bodyBase64 === undefined ? Buffer.from(body, 'utf8') : Buffer.from(bodyBase64, 'base64')

/** An SDK that throws has refused the delivery. */
async function saysYes(verify) {
  try {
    return await verify()
  } catch {
    return false
  }
}

/** The SDK's verdict on a case. SDKs that take one secret are asked once per secret. */
export async function ask(sender, vectors, given) {
  const options = given.options ?? vectors.options
  const delivery = {
    method: given.method,
    headers: given.headers,
    body: bodyOf(given),
    now: vectors.now,
    url: given.requestUrl ?? options.publicUrl,
  }
  mock.timers.enable({ apis: ['Date'], now: vectors.now * 1000 })
  try {
    for (const secret of keysOf(options)) {
      const passes = await saysYes(() =>
        sender.verify({ ...delivery, secret, options, fetches: vectors.fetches }),
      )
      if (passes) return 'accepts'
    }
    return 'refuses'
  } finally {
    mock.timers.reset()
  }
}
