// Writes deliveries.json anew, with new secrets and keys: node docs/vectors/make.mjs
import { writeFileSync } from 'node:fs'
import { NOW } from './given.mjs'
import { HMAC, HMAC_LISTENER } from './hmac.mjs'
import { JWT, JWT_LISTENER } from './jwt.mjs'

const listeners = { hmac: HMAC_LISTENER, jwt: JWT_LISTENER }
const document = { now: NOW, listeners, deliveries: [...HMAC, ...JWT] }
writeFileSync(new URL('deliveries.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
