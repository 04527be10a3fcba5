import { fileURLToPath } from 'node:url'

export default {
  turbopack: { root: fileURLToPath(new URL('../../..', import.meta.url)) }, // of the copy that is built, in test/hosts
  typescript: { ignoreBuildErrors: true }, // `npm run types` checks the example; TypeScript 7 has no API for Next.js
}
