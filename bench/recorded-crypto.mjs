// Records the hashes and key operations of a run, so that they can be repeated alone. Import it before hookgate.
import nodeCrypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

let operations

function wrap(owner, name) {
  const original = owner[name]
  owner[name] = function (...given) {
    operations?.push(() => repeat(original, this, given))
    return Reflect.apply(original, this, given)
  }
}

/** Waits for a result that goes to a callback. */
function repeat(original, owner, given) {
  if (typeof given.at(-1) !== 'function') return Reflect.apply(original, owner, given)
  return new Promise((resolve) => Reflect.apply(original, owner, [...given.slice(0, -1), resolve]))
}

wrap(nodeCrypto, 'hash')
wrap(nodeCrypto, 'verify')
for (const name of ['digest', 'sign', 'verify']) wrap(crypto.subtle, name)

for (const name of ['createHash', 'createHmac']) {
  const create = nodeCrypto[name]
  nodeCrypto[name] = (...given) => {
    const hash = create(...given)
    if (operations === undefined) return hash
    const { update, digest } = hash
    const parts = []
    hash.update = (...part) => {
      parts.push(part)
      return Reflect.apply(update, hash, part)
    }
    hash.digest = (spelling) => {
      operations?.push(() =>
        parts.reduce((same, part) => same.update(...part), create(...given)).digest(spelling),
      )
      return Reflect.apply(digest, hash, [spelling])
    }
    return hash
  }
}
syncBuiltinESMExports()

/** The operations of a run, each as a function that repeats it. */
export async function recorded(run) {
  operations = []
  await run()
  const found = operations
  operations = undefined
  return found
}
