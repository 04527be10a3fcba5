/** The runtime that runs these tests. `npm run test:runtimes` runs them on all three. */
export const ENGINE: 'node' | 'bun' | 'deno' =
  'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node'
