import { replayWindowSeconds } from '../../src/limits.ts'
import { memoryStore } from '../../stores/memory/memory-store.ts'
import { messageOf } from '../command-line/output.ts'
import type { ListenStore } from './store.ts'

const MAX_RECORDS = 100_000

/** Opens the store that `--store` or `HOOKGATE_STORE` names. The default is memory, which loads no client. */
export async function findStore(
  given: string | undefined,
  toleranceSeconds: number | undefined,
): Promise<ListenStore> {
  const url = given ?? process.env.HOOKGATE_STORE
  if (url !== undefined) return (await import('./store.ts')).openStore(url)
  const store = memoryStore({
    maxRecords: MAX_RECORDS,
    replayWindowSeconds: replayWindowSeconds(toleranceSeconds),
  })
  return { store, shown: undefined, explain: messageOf, close: async () => {} }
}
