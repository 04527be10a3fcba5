import { JWT_VARIANTS } from './jwt-variants.mjs'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { ALGORITHMS, newKey, tokenDelivery, withSignatureOf } from './tokens.mjs'

const OPERATIONS = 160
const IN_FLIGHT = [1, 32]

/**
 * A verified 1 KB delivery with a token: µs and ratios of CPU time one at a time, and of wall and CPU time at 32 at
 * once.
 */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const algorithm of ALGORITHMS) {
    const key = newKey(algorithm)
    const entrants = JWT_VARIANTS.filter(({ algorithms = ALGORITHMS }) => algorithms.includes(algorithm))
    await proveVerifiers(entrants, key)
    for (const lanes of IN_FLIGHT) {
      const deliveries = Array.from({ length: roundsInAll(rounds) }, (_, round) =>
        Array.from({ length: OPERATIONS }, (_, index) => tokenDelivery(key, round * OPERATIONS + index)),
      )
      const variants = entrants.map(({ name, make }) => {
        const verifier = make(key)
        return { name, run: (round) => verifyAll(verifier, deliveries[round], lanes) }
      })
      const { wall, cpu } = await interleave(variants, {
        rounds,
        operations: OPERATIONS,
        progress: (where) => progress(`${algorithm}, ${lanes} in flight, ${where}`),
      })
      const clocks = lanes === 1 ? { cpu } : { wall, cpu }
      for (const [clock, times] of Object.entries(clocks)) {
        for (const { name } of variants) {
          rows.push({
            algorithm,
            lanes,
            clock,
            name,
            microseconds: least(times, name),
            toFloor: ratio(times, name, 'floor'),
            toJose: ratio(times, name, 'jose, token alone'),
            toFastJwt: ratio(times, name, 'fast-jwt, token alone'),
          })
        }
      }
    }
  }
  return rows
}

async function verifyAll(verifier, deliveries, lanes) {
  let next = 0
  const lane = async () => {
    while (next < deliveries.length) {
      const said = verifier(deliveries[next++])
      if ((said === true || said === false ? said : await said) !== true) throw new Error('refused')
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Checks each verifier first: it must accept a valid delivery and refuse another one's signature. */
async function proveVerifiers(variants, key) {
  for (const { name, make } of variants) {
    const good = tokenDelivery(key, 1)
    const bad = withSignatureOf(good, tokenDelivery(key, 2))
    const said = [await make(key)(good), await make(key)(bad)]
    if (said[0] !== true || said[1] !== false) throw new Error(`${name} accepts and refuses: ${said}`)
  }
}
