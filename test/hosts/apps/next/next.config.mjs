import { fileURLToPath } from 'node:url'

export default {
  turbopack: { root: fileURLToPath(new URL('../../..', import.meta.url)) }, // for the copy that is built; `npm run types` checks the example here, because TypeScript 7 has no API for Next.js
  typescript: { ignoreBuildErrors: true }, // `npm run types` checks the example; TypeScript 7 has no API for Next.js
}
