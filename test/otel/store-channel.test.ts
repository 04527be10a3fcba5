import { describe, expect, it } from 'vitest'
import { type EventStore, inTransaction, LeaseLostError, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { endsOf, recordChannel } from '../support/channel-recorder.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent } from '../support/outcome.ts'

const answers = (moments: Parameters<typeof endsOf>[0]) =>
  endsOf(moments).map(({ verb, answer }) => `${verb}: ${answer}`)

describe('hookgate:store', () => {
  it('the channel has a start and an end for each call, with the listener, the verb and the answer', async () => {
    const moments = recordChannel('store')
    const { listener, deliver } = hmacListener()
    await acceptedEvent(await deliver(), listener)
    expect(moments).toEqual([
      { at: 'start', fields: { listenerId: 'L1', verb: 'claim', answer: undefined } },
      { at: 'asyncEnd', fields: { listenerId: 'L1', verb: 'claim', answer: 'acquired', result: undefined } },
    ])
  })

  it('the channel has the answers in the words of the contract', async () => {
    const moments = recordChannel('store')
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await verify(delivery, listener)
    await event.release()
    await event.release()
    const again = await acceptedEvent(delivery, listener)
    await again.commit()
    await verify(delivery, listener)
    expect(answers(moments)).toEqual([
      'claim: acquired',
      'claim: busy',
      'release: true',
      'release: false',
      'claim: acquired',
      'commit: committed',
      'claim: done',
    ])
  })

  it('the channel reports a lost lease', async () => {
    const moments = recordChannel('store')
    const lost: EventStore = {
      ...memoryStore(),
      commit: () => 'lost',
      claim: () => 'acquired',
      release: () => true,
    }
    const { listener, deliver } = hmacListener({ store: lost })
    await (await acceptedEvent(await deliver(), listener)).commit()
    expect(answers(moments)).toEqual(['claim: acquired', 'commit: lost'])
  })

  it("the channel reports a lease that the handler's own transaction found lost", async () => {
    const moments = recordChannel('store')
    const commitIn = inTransaction(async () => {
      throw new LeaseLostError('ERR_LEASE_LOST', 'too late')
    })
    const { listener, deliver } = hmacListener({ store: { ...memoryStore(), commitIn } })
    const event = await acceptedEvent(await deliver(), listener)
    await expect(event.commit({})).rejects.toMatchObject({ code: 'ERR_LEASE_LOST', message: 'too late' })
    expect(answers(moments)).toEqual(['claim: acquired', 'commit: lost'])
  })

  it('the channel reports a failed call with its error, without the cause', async () => {
    const moments = recordChannel('store')
    const fail = () => Promise.reject(new Error('redis://:password@127.0.0.1'))
    const { listener, deliver } = hmacListener({ store: { claim: fail, commit: fail, release: fail } })
    await expect(verify(await deliver(), listener)).rejects.toMatchObject({ cause: expect.any(Error) })
    expect(endsOf(moments)).toEqual([
      {
        listenerId: 'L1',
        verb: 'claim',
        answer: undefined,
        error: { name: 'EventStoreError', message: 'the event store failed to claim' },
      },
    ])
  })
})
