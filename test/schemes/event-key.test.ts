import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { keyOfBytes, keyOfId } from '../../src/event-key.ts'

const UUID_V4 = '7F1D3C5E-0a4b-4c8d-9e2f-112233445566'

it('a UUID v4 is its own key, in lower case', () => {
  expect(keyOfId(UUID_V4)).toBe(UUID_V4.toLowerCase())
})

it('what it returns is its own key, so that a store can map it again', async () => {
  const key = await keyOfId('evt_1')
  expect(await keyOfId(key)).toBe(key)
  expect(await keyOfId(key.toUpperCase())).toBe(key)
})

it.each(['evt_1', 'é', '7f1d3c5e-0a4b-1c8d-9e2f-112233445566', 'x'.repeat(256)])(
  'the key of any other ID is a UUIDv8 of its SHA-256: %j',
  async (id) => {
    const digest = createHash('sha256').update(id).digest()
    const uuid = Buffer.from(digest.subarray(0, 16))
    uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x80, 6)
    uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8)
    const key = await keyOfId(id)
    expect(key.replaceAll('-', '')).toBe(uuid.toString('hex'))
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await keyOfBytes(Buffer.from(id))).toBe(key)
  },
)
