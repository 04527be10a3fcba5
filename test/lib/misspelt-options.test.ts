import { expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { remoteKeySet } from '../../src/auth/remote-key-set.ts'
import { defineListener, hmac } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const listener = () =>
  defineListener({
    id: 'a',
    auth: hmac({ secrets: 'a-secret-of-32-characters-123456' }),
    store: memoryStore(),
  })

/** What takes options, called with these. */
const CALLERS: { readonly [name: string]: (options: object) => unknown } = {
  defineListener: (options) => defineListener(options as never),
  hmac: (options) => hmac(options as never),
  stripe: (options) => stripe(options as never),
  remoteKeySet: (options) => remoteKeySet('https://keys.example', options),
  memoryStore: (options) => memoryStore(options),
  verifyWebhook: (options) => verifyWebhook(listener(), options),
}

function complaintOf(caller: string, name: string): string {
  try {
    CALLERS[caller]?.({ [name]: 1 })
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return ''
}

it.each(Object.keys(CALLERS))('%s names the option that was meant by each misspelt one', (caller) => {
  const [, list = ''] = /no such option; it has (.+)$/.exec(complaintOf(caller, 'zzzzzzzz')) ?? []
  const names = list.split(', ')
  expect(list).not.toBe('')
  for (const name of names) {
    const misspelt = [name.toLowerCase(), name.toUpperCase(), name.slice(0, -1), `${name.slice(0, -1)}z`]
    for (const given of misspelt.filter((each) => each.length > 2 && !names.includes(each))) {
      expect(complaintOf(caller, given)).toContain(`no such option; did you mean ${name}?`)
    }
  }
})
