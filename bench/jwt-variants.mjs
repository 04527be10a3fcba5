// All verifiers of tokens. verify() returns whether the delivery is valid.
import { createHash } from 'node:crypto'
import { createVerifier } from 'fast-jwt'
import { verifyWithJwks } from 'hono/jwt'
import { defineListener, verify } from 'hookgate'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { createLocalJWKSet, jwtVerify } from 'jose'
import jsonwebtoken from 'jsonwebtoken'
import { jwtFloor } from './floor.mjs'
import { CIDRS, ENDPOINT } from './workload.mjs'

const { subject, audience } = ENDPOINT

function answers(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}

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

/** Each make(key) returns a verifier with its own memory, if it has one. */
export const JWT_VARIANTS = [
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
