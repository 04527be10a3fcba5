import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

/** Node 20 cannot run TypeScript. Packages are not bundled, but found from here. */
export async function buildReceiver(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-handoff-'))
  await build({
    input: at('test/suites/queues/handoff/receiver.ts'),
    platform: 'node',
    resolve: {
      alias: {
        '#crypto': at('src/crypto/node.ts'),
        'hookgate/handoff': at('src/handoff/index.ts'),
        'hookgate/stores/postgres': at('src/stores/postgres/store.ts'),
        'hookgate/web': at('adapters/web.ts'),
      },
    },
    plugins: [
      {
        name: 'packages',
        resolveId: (source) =>
          /^(?:node:|\.|#|hookgate)/.test(source) || source.startsWith('/')
            ? null
            : { id: import.meta.resolve(source), external: true },
      },
    ],
    logLevel: 'silent',
    output: { dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  })
  return {
    file: join(folder, 'receiver.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
