import { expect, it } from 'vitest'
import { EventStoreObject } from '../../src/stores/durable-object/store.ts'

it('an alarm that could not be set is set by the next call, or nothing would ever be deleted', async () => {
  const alarms: number[] = []
  let fails = true
  const object = new EventStoreObject({
    storage: {
      sql: { exec: () => ({ toArray: () => [] }) },
      getAlarm: async () => null,
      async setAlarm(time) {
        if (fails) throw new Error('storage is not available')
        alarms.push(time)
      },
      deleteAll: async () => {},
    },
  })
  const claim = { verb: 'claim', eventId: crypto.randomUUID(), owner: 'a', ms: 1000, done: false }
  const ask = () => object.fetch({ json: async () => claim })
  await expect(ask()).rejects.toThrow('not available')
  fails = false
  await ask()
  await ask()
  expect(alarms).toHaveLength(1)
})
