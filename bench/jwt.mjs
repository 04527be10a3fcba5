// verify() with a JWT listener (every check, memory store) against jose's jwtVerify alone, 32 at once. Interleaved
// rounds; a ratio is the median of the rounds' ratios:
//   npm run build && node bench/jwt.mjs
import { defineListener, verify } from 'hookgate'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { signJwt, toDelivery } from 'hookgate/testing'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { median, timed } from './rounds.mjs'

const TOKENS = 800
const IN_FLIGHT = 32
const ROUNDS = 15
const ENDPOINT = { subject: 'https://tenant.example', audience: 'https://tenant.example/hook' }

async function allOf(work) {
  let next = 0
  const lane = async () => {
    while (next < TOKENS) await work(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

async function compare(algorithm) {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const named = { kid: 'k1', alg: algorithm }
  const keys = [{ ...(await exportJWK(pair.publicKey)), ...named }]
  const privateKey = { ...(await exportJWK(pair.privateKey)), ...named }
  const body = JSON.stringify({ text: 'x'.repeat(1000) })
  const sign = async () => toDelivery(await signJwt({ ...ENDPOINT, privateKey, body, expiresInSeconds: 599 }))
  const deliveries = await Promise.all(Array.from({ length: TOKENS }, sign))
  const tokens = deliveries.map((delivery) => delivery.header('authorization').slice('Bearer '.length))
  const bareKeys = createLocalJWKSet({ keys })
  const auth = jwt({ ...ENDPOINT, keySet: localKeySet({ keys }) })

  const ratios = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const listener = defineListener({ id: 'bench', auth, store: memoryStore() })
    const bare = await timed(() => allOf((index) => jwtVerify(tokens[index], bareKeys, ENDPOINT)))
    const ours = await timed(() =>
      allOf(async (index) => {
        const verdict = await verify(deliveries[index], listener)
        if (!verdict.ok) throw new Error(verdict.detail)
      }),
    )
    if (round > 2) ratios.push(ours / bare)
  }
  console.log(`${algorithm}: ${median(ratios).toFixed(2)} x bare jose`)
}

for (const algorithm of ['RS256', 'ES256', 'EdDSA']) await compare(algorithm)
