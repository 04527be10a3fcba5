import type { EventStore } from '../../src/index.ts'

/** A store that records its calls. `calls` holds `verb eventId`. */
export function spyStore(inner: EventStore): { store: EventStore; calls: string[]; owners: string[] } {
  const calls: string[] = []
  const owners: string[] = []
  const note = (verb: string, eventId: string, owner: string) => {
    calls.push(`${verb} ${eventId}`)
    owners.push(owner)
  }
  return {
    calls,
    owners,
    store: {
      claim(key, owner, leaseMs) {
        note('claim', key.eventId, owner)
        return inner.claim(key, owner, leaseMs)
      },
      commit(key, owner, retentionMs) {
        note('commit', key.eventId, owner)
        return inner.commit(key, owner, retentionMs)
      },
      release(key, owner) {
        note('release', key.eventId, owner)
        return inner.release(key, owner)
      },
      ...(inner.renew && {
        renew(key, owner, leaseMs) {
          note('renew', key.eventId, owner)
          return inner.renew?.(key, owner, leaseMs) ?? false
        },
      }),
    },
  }
}
