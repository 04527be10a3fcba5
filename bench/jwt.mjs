import { createHash } from 'node:crypto'
import { createVerifier } from 'fast-jwt'
import { verifyWithJwks } from 'hono/jwt'
import { defineListener, verify } from 'hookgate'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { createLocalJWKSet, jwtVerify } from 'jose'
import jsonwebtoken from 'jsonwebtoken'
import { jwtFloor } from './floor.mjs'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { ALGORITHMS, newKey, tokenDelivery, withSignatureOf } from './tokens.mjs'
import { answers, CIDRS, ENDPOINT } from './workload.mjs'

const OPERATIONS = 160
const IN_FLIGHT = [1, 32]
const { subject, audience } = ENDPOINT

const answersLater = (promise) =>
  promise.then(
    () => true,
    () => false,
  )

/** What a peer leaves to its user, done as cheaply as possible: the body's hash, its JSON, the event ID, and a Map. */
function restOfTheJob(verifier, seen = new Map()) {
  return (delivery) => {
    const claims = verifier(delivery)
    const { body, eventId } = delivery
    if (claims.htm !== 'POST' || claims.jti !== eventId || claims.exp - claims.iat > 600) return false
    if (claims.htb_s256 !== createHash('sha256').update(body).digest('base64url')) return false
    JSON.parse(body.latin1Slice())
    if (seen.has(eventId)) return false
    seen.set(eventId, 1)
    return true
  }
}

const fastJwt = ({ pem, algorithm }) => {
  const verifier = createVerifier({
    key: pem,
    algorithms: [algorithm],
    allowedAud: audience,
    allowedSub: subject,
  })
  return ({ token }) => verifier(token)
}

export function jwtListener({ jwks }) {
  const auth = jwt({ ...ENDPOINT, keySet: localKeySet(jwks) })
  return defineListener({ id: 'bench', auth, store: memoryStore(), allowedCidrs: CIDRS })
}

/** Each make(key) returns a verifier with its own memory, if it has one. It returns whether a delivery is valid. */
export const JWT_VERIFIERS = [
  {
    name: 'floor',
    make:
      (key, floor = jwtFloor(key)) =>
      (delivery) =>
        floor(delivery) === 200,
  },
  {
    name: 'hookgate',
    make:
      (key, listener = jwtListener(key)) =>
      async (delivery) =>
        (await verify(delivery, listener)).ok,
  },
  {
    name: 'jose, token alone',
    make:
      ({ jwks }, keys = createLocalJWKSet(jwks)) =>
      ({ token }) =>
        answersLater(jwtVerify(token, keys, { subject, audience })),
  },
  {
    name: 'fast-jwt, token alone',
    make:
      (key, verifier = fastJwt(key)) =>
      (delivery) =>
        answers(() => verifier(delivery)),
  },
  {
    name: 'fast-jwt, and the rest of the job',
    make:
      (key, job = restOfTheJob(fastJwt(key))) =>
      (delivery) => {
        try {
          return job(delivery)
        } catch {
          return false
        }
      },
  },
  {
    name: 'jsonwebtoken, token alone',
    algorithms: ['RS256', 'ES256'],
    make:
      ({ keyObject, algorithm }) =>
      ({ token }) =>
        answers(() => jsonwebtoken.verify(token, keyObject, { algorithms: [algorithm], audience, subject })),
  },
  {
    name: 'hono/jwt, token alone',
    make:
      ({ jwks, algorithm }) =>
      ({ token }) =>
        answersLater(
          verifyWithJwks(token, {
            keys: jwks.keys,
            allowedAlgorithms: [algorithm],
            verification: { aud: audience },
          }),
        ),
  },
]

/**
 * A verified 1 KB delivery with a token: µs and ratios of CPU time one at a time, and of wall and CPU time at 32 at
 * once.
 */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const algorithm of ALGORITHMS) {
    const key = newKey(algorithm)
    const entrants = JWT_VERIFIERS.filter(({ algorithms = ALGORITHMS }) => algorithms.includes(algorithm))
    await prove(entrants, key)
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
async function prove(variants, key) {
  for (const { name, make } of variants) {
    const good = tokenDelivery(key, 1)
    const bad = withSignatureOf(good, tokenDelivery(key, 2))
    const said = [await make(key)(good), await make(key)(bad)]
    if (said[0] !== true || said[1] !== false) throw new Error(`${name} accepts and refuses: ${said}`)
  }
}
