import { verify } from 'hookgate'
import { HMAC_VERIFIERS, hookgateListener } from './hmac.mjs'
import { jwtListener } from './jwt.mjs'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { newKey, tokenDelivery, withSignatureOf } from './tokens.mjs'
import { deliveryOf, now, signedDelivery, tampered } from './workload.mjs'

const OPERATIONS = 400
const PEERS = ['standardwebhooks', 'stripe']

/** The CPU time of each refusal, next to an accepted delivery of the same 1 KB. */
export async function measure({ rounds, progress }) {
  const key = newKey('ES256')
  const variants = [...hmacVariants(), ...jwtVariants(key)]
  const prepared = variants.map(({ name, wanted, make, verifier }) => {
    const inRound = Array.from({ length: roundsInAll(rounds) }, (_, round) =>
      Array.from({ length: OPERATIONS }, (_, index) => make(round * OPERATIONS + index)),
    )
    return { name, run: (round) => runAll(verifier, inRound[round], wanted) }
  })
  const { cpu } = await interleave(prepared, { rounds, operations: OPERATIONS, progress })
  return variants.map(({ name, base }) => ({
    name,
    base,
    microseconds: least(cpu, name),
    toAccepted: ratio(cpu, name, base),
  }))
}

async function runAll(verifier, deliveries, wanted) {
  for (const delivery of deliveries) {
    const said = await verifier(delivery)
    if (said !== wanted) throw new Error(`answered ${said}, not ${wanted}`)
  }
}

function hookgateVerifier(listener) {
  return async (delivery) => {
    const verdict = await verify(delivery, listener)
    return verdict.ok ? 'accepted' : verdict.reason
  }
}

function hmacVariants() {
  const base = 'hookgate, HMAC: accepted'
  const good = (serial) => signedDelivery(1024, serial)
  const oversize = good(1)
  const large = Buffer.alloc(65_537, oversize.body)
  const row = (name, wanted, make) => ({
    name: `hookgate, HMAC: ${name}`,
    base,
    wanted,
    make,
    verifier: hookgateVerifier(hookgateListener()),
  })
  const peers = HMAC_VERIFIERS.filter(({ name }) => PEERS.includes(name)).flatMap(({ name, make }) => [
    { name: `${name}: accepted`, base: `${name}: accepted`, wanted: true, make: good, verifier: make() },
    {
      name: `${name}: wrong signature`,
      base: `${name}: accepted`,
      wanted: false,
      make: (serial) => tampered(good(serial)),
      verifier: make(),
    },
  ])
  return [
    row('accepted', 'accepted', good),
    row('wrong signature', 'signature_mismatch', (serial) => tampered(good(serial))),
    row('stale timestamp', 'timestamp_out_of_range', (serial) =>
      signedDelivery(1024, serial, { timestamp: `${now() - 400}` }),
    ),
    row('oversize', 'body_too_large', () => deliveryOf(oversize.headers, large)),
    ...peers,
  ]
}

function jwtVariants(key) {
  const good = (serial) => tokenDelivery(key, serial)
  const other = good(1)
  const stranger = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'k2' })).toString('base64url')
  const row = (name, wanted, make) => ({
    name: `hookgate, ES256: ${name}`,
    base: 'hookgate, ES256: accepted',
    wanted,
    make,
    verifier: hookgateVerifier(jwtListener(key)),
  })
  return [
    row('accepted', 'accepted', good),
    row('wrong signature', 'token_invalid', (serial) => withSignatureOf(good(serial), other)),
    row('unknown kid', 'token_invalid', (serial) => tokenDelivery(key, serial, { headerSegment: stranger })),
  ]
}
