import { setImmediate as nextTurn } from 'node:timers/promises'

type Read<Row> = (id: string) => Promise<Row | undefined>

/**
 * Deduplicates reads of single rows. Callers in the same turn of the event loop share a read. It starts after their
 * calls, so it sees all earlier writes.
 */
export function sharedReads<Row>(read: Read<Row>): Read<Row> {
  const toCome = new Map<string, Promise<Row | undefined>>()
  const readNext = async (id: string) => {
    await nextTurn()
    toCome.delete(id)
    return read(id)
  }
  return (id) => {
    const shared = toCome.get(id) ?? readNext(id)
    toCome.set(id, shared)
    return shared
  }
}
