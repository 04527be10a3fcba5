export type { Fetch } from './auth/fetch-bytes.ts'
export { type KeySet, localKeySet } from './auth/jwks.ts'
export { type JwtOptions, jwt } from './auth/jwt.ts'
export { type RemoteKeySetOptions, remoteKeySet } from './auth/remote-key-set.ts'
