export { eventStoreSuite, type RegisterTest, type StoreFixture } from './event-store-suite.ts'
export {
  type SignedRequest,
  type SignHmacOptions,
  type SignJwtOptions,
  type SignOptions,
  signHmac,
  signJwt,
  toDelivery,
} from './sign.ts'
