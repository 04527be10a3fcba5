import { HMAC_VARIANTS, proveVerifiers } from './hmac-variants.mjs'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { SIZES, signedDelivery } from './workload.mjs'

const MICROSECONDS_A_ROUND = 6000

export const title = 'HMAC'

/** The CPU time of a verified delivery in µs, and its ratios to both floors, at each size. */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const size of SIZES) {
    await proveVerifiers(HMAC_VARIANTS, size)
    const operations = Math.ceil(MICROSECONDS_A_ROUND / (3 + size / 220))
    const deliveries = Array.from({ length: roundsInAll(rounds) }, (_, round) =>
      Array.from({ length: operations }, (_, index) => signedDelivery(size, round * operations + index)),
    )
    const variants = HMAC_VARIANTS.map(({ name, make }) => ({ name, run: verifyAll(make(), deliveries) }))
    const { cpu } = await interleave(variants, {
      rounds,
      operations,
      progress: (where) => progress(`${size} bytes, ${where}`),
    })
    for (const { name } of variants) {
      rows.push({
        size,
        name,
        microseconds: least(cpu, name),
        toFloor: ratio(cpu, name, 'floor'),
        toHandMade: ratio(cpu, name, 'floor, HMAC by hand'),
      })
    }
  }
  return rows
}

/** Each verifier has its own loop, so that each gets its own JIT code. */
function verifyAll(verifier, deliveries) {
  const loop = new Function(
    'verifier',
    'deliveries',
    `return async (round) => {
      for (const delivery of deliveries[round]) {
        const said = verifier(delivery)
        if ((said === true || said === false ? said : await said) !== true) throw new Error('refused')
      }
    }`,
  )
  return loop(verifier, deliveries)
}
