import { isPublicAddress } from 'hookgate/sender'
import { expect, it } from 'vitest'
import { CLOUD_ADDRESSES } from './cloud-addresses.ts'

it.each(CLOUD_ADDRESSES)('%s: %s is not', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(['168.63.129.020', '0xa8.63.129.16', '2822734096', '::ffff:a83f:8110'])(
  'Azure: WireServer, spelt %s, is not',
  (address) => {
    expect(isPublicAddress(address)).toBe(false)
  },
)
