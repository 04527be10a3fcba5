import { sign as signStandard, verify as verifyStandard } from './standard-webhooks.mjs'

/** As BigCommerce's page shows it. */
const encoded = (given) => ({ ...given, secret: Buffer.from(given.secret).toString('base64') })

export const verify = (given) => verifyStandard(encoded(given))

export const sign = (given) => signStandard(encoded(given))
