export { eventStoreSuite, type RegisterTest, type StoreFixture } from './event-store-suite.ts'
export { type SignedRequest, signHmac, signJwt, toDelivery } from './sign.ts'
export type { SignHmacOptions, SignJwtOptions, SignOptions } from './sign-options.ts'
