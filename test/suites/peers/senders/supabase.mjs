import { sign as signStandard, verify as verifyStandard } from './standard-webhooks.mjs'

/** As Supabase's pages show it. */
const bare = (given) => ({ ...given, secret: given.secret.replace('v1,whsec_', '') })

export const verify = (given) => verifyStandard(bare(given))

export const sign = (given) => signStandard(bare(given))
