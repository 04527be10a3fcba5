import type { EventStore } from '../src/index.ts'

/** The same store, and a way to know when nothing is under way: answers are sent before the commit is. */
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
