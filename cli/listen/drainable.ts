import type { EventStore } from '../../src/index.ts'

/** Wraps a store, to wait until no call is in flight: a response may be sent before its commit. */
export function drainable(store: EventStore): { store: EventStore; settled(): Promise<void> } {
  const underWay = new Set<unknown>()
  const track = <Answer>(answer: Answer): Answer => {
    underWay.add(answer)
    const over = () => void underWay.delete(answer)
    Promise.resolve(answer).then(over, over)
    return answer
  }
  const { replayWindowSeconds } = store
  return {
    store: {
      ...(replayWindowSeconds !== undefined && { replayWindowSeconds }),
      claim: (...given) => track(store.claim(...given)),
      commit: (...given) => track(store.commit(...given)),
      release: (...given) => track(store.release(...given)),
    },
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
