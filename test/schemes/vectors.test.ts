import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { remoteOptions } from '../support/vector-fetch.ts'
import { type Case, deliveryOf, files, type VectorFile } from '../support/vectors.ts'

async function judge({ scheme, options, now, fetches }: VectorFile, given: Case): Promise<object> {
  const factory = await schemeFactory(scheme)
  const clock = { now: () => now * 1000 }
  const listener = defineListener({
    id: scheme,
    auth: factory({ ...options, ...given.options, ...(fetches && remoteOptions(scheme, fetches)) }),
    store: memoryStore({ clock, maxRecords: 10 }),
    clock,
  })
  const verdict = await verify(deliveryOf(given), listener)
  if (verdict.ok) {
    const { id, type, sentAt, auth } = verdict.event
    const secretId = auth.method === 'scheme' ? auth.secretId : undefined
    return { ok: true, id, type, sentAt: sentAt.getTime() / 1000, secretId }
  }
  if (verdict.handshake) return { ok: false, handshake: verdict.reply }
  const { status, reason } = verdict
  return { ok: false, status, reason }
}

it('every scheme has vectors, and every vector file a scheme', () => {
  const withVectors = files.map(({ scheme }) => scheme)
  expect(
    SCHEME_NAMES.filter((name) => !withVectors.includes(name)),
    'add each to tools/vectors/recipes, and run tools/make-vectors.mjs with its name',
  ).toEqual([])
  const unknown = withVectors.filter((name) => !SCHEME_NAMES.includes(name))
  expect(unknown, 'remove each file from test/vectors/schemes').toEqual([])
  expect(files.length).toBeGreaterThan(50)
})

describe.each(files.filter(({ scheme }) => SCHEME_NAMES.includes(scheme)))('$scheme', (file) => {
  it.each(file.cases)('$name', async (given) => {
    expect(await judge(file, given)).toMatchObject(given.expect)
  })

  // A host that decodes headers as UTF-8 can report such characters. Cut to a byte, each would be the one that was sent.
  it('a header is refused for a character that is 256 higher, as for any other', async () => {
    const genuine = file.cases.find(({ expect: { ok } }) => ok)
    for (const [index, [name, value]] of (genuine?.headers ?? []).entries()) {
      if (name.toLowerCase() === 'content-type') continue // checked before the signature
      for (const at of [0, value.length >> 1, value.length - 1]) {
        const judged = (character: string) => {
          const changed = value.slice(0, at) + character + value.slice(at + 1)
          const headers = genuine?.headers.with(index, [name, changed]) ?? []
          return judge(file, { ...genuine, headers } as Case) // of a genuine one
        }
        const narrow = await judged(value[at] === '2' ? '3' : '2')
        if (!('reason' in narrow) || !/signature_mismatch|token_invalid/.test(`${narrow.reason}`)) continue
        const wide = await judged(String.fromCharCode(value.charCodeAt(at) + 0x100))
        expect({ name, at, ...wide }).toEqual({ name, at, ...narrow })
      }
    }
  })
})
