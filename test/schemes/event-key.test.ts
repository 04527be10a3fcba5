import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as node from '../../src/crypto/node.ts'
import * as web from '../../src/crypto/web.ts'
import { keyOfBytes, keyOfId, storedKey } from '../../src/event-key.ts'
import { jobUuid } from '../../src/handoff/job-id.ts'

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

describe('a text without UTF-8', () => {
  /** What WTF-8 writes of a lone surrogate: three bytes that are in no UTF-8. */
  const HALVES = [
    '\ud800',
    '\ud801',
    '\udbff',
    '\udc00',
    '\udfff',
    '\ufffd',
    'a\ud800',
    '\ud800a',
    '\udc00\ud800',
  ]

  it('has a key of its own, as an ID, as bytes and as the ID of a listener', async () => {
    for (const keyOf of [
      keyOfId,
      keyOfBytes,
      async (text: string) => (await storedKey({ listenerId: text, eventId: 'a' })).listenerId,
      async (text: string) => (await storedKey({ listenerId: 'a', eventId: text })).eventId,
      async (text: string) => jobUuid({ listenerId: 'a', id: text }),
      async (text: string) => jobUuid({ listenerId: text, id: 'a' }),
    ]) {
      const keys = await Promise.all(HALVES.map(keyOf))
      expect(new Set(keys).size).toBe(HALVES.length)
    }
  })

  it.each([
    ['\ud800', 'eda080'],
    ['a\udfffb', '61edbfbf62'],
    ['\ud83d\ude00\ude00', 'f09f9880edb880'],
  ])('is hashed by the same bytes on every platform: %j', async (text, hex) => {
    const right = await keyOfBytes(Buffer.from(hex, 'hex'))
    expect(await keyOfId(text)).toBe(right)
    expect(await web.sha256(text, 'hex')).toBe(createHash('sha256').update(hex, 'hex').digest('hex'))
    expect(node.sha256(text, 'hex')).toBe(createHash('sha256').update(hex, 'hex').digest('hex'))
  })
})

it.each([
  ['', 'e3b0c442-98fc-8c14-9afb-f4c8996fb924'],
  ['evt_1', '7d4e5a76-eae6-88c1-a541-0ac19fe67565'],
  ['é', '4a99557e-4033-8353-9de2-eb65472017ca'],
  ['😀', 'f0443a34-2c5e-8547-83a1-11b51ba56c93'],
  ['\u0000', '6e340b9c-ffb3-8a98-9ca5-44e6bb780a2c'],
  ['\ufffd', '83d544cc-c223-8057-92bf-80d3f2a32982'],
  ['\ue000\uffff', 'caf6f1f9-4ec5-80b2-af63-bff80c08beb0'],
  ['7f1d3c5e-0a4b-1c8d-9e2f-112233445566', '20ce4474-ab2a-8a1b-914d-19ce3172b7df'],
  ['x'.repeat(300), '0d4e2ca9-e9cb-8ed7-a7a5-380eb29e1a37'],
])('a well-formed ID keeps the key that stores hold it by: %j', async (id, key) => {
  expect(await keyOfId(id)).toBe(key)
  expect(await keyOfBytes(id)).toBe(key)
  expect((await storedKey({ listenerId: 'a', eventId: id })).eventId).toBe(key)
})

it('listeners with well-formed IDs keep them in the store', async () => {
  for (const listenerId of ['orders', 'é', '😀', '\ufffd', '\\ud800']) {
    expect(await storedKey({ listenerId, eventId: UUID_V4.toLowerCase() })).toStrictEqual({
      listenerId,
      eventId: UUID_V4.toLowerCase(),
    })
  }
})
