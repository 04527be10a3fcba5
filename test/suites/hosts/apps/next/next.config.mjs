import { fileURLToPath } from 'node:url'

export default {
  turbopack: {
    root: fileURLToPath(new URL('../../../..', import.meta.url)),
  }, // the example is built in a copy of this folder
  typescript: { ignoreBuildErrors: true }, // `npm run types` checks the example; TypeScript 7 has no API for Next.js
}
