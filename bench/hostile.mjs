// The CPU time that reading a stranger's body takes before its sender is known: all senders' schemes × hostile bodies.
// `node hostile.mjs --check` exits with 1 if a scheme takes over 5 ms.
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { defineListener, verify } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'
import { HOSTILE_BODIES, mediaTypeOf } from './hostile-bodies.mjs'

const VECTORS = new URL('../test/vectors/schemes/', import.meta.url)
const RUNS = 7
const WARM_UP = 5
/** Of a body that is only hashed, which takes time in proportion to its size. */
const MOST_BYTES = 262_144
const MOST_MILLISECONDS = 5

/**
 * The dearest body of each scheme. Each delivery has the headers of a genuine one, so that only its signature is wrong. What the
 * signature itself costs is subtracted: the time of a body of the same size that is hashed but never parsed.
 */
export async function measure({ progress }) {
  const rows = []
  for (const file of readdirSync(VECTORS)) {
    if (process.env.ONLY && !process.env.ONLY.split(",").includes(file.slice(0, -5))) continue
    if (file === 'handshakes.json') continue
    const vectors = JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8'))
    progress(vectors.scheme)
    rows.push(await dearest(vectors))
  }
  return rows.sort((left, right) => right.milliseconds - left.milliseconds)
}

async function dearest(vectors) {
  const { listener, genuine } = await receiver(vectors)
  const { scheme } = listener.auth.sender
  const readsFirst = scheme.signature.member !== undefined || scheme.name === 'twilio'
  const size = readsFirst ? listener.maxBodyBytes : Math.min(listener.maxBodyBytes, MOST_BYTES)
  const plain = Buffer.alloc(size, 'a')
  const signature = readsFirst ? 0 : (await cpuOf(listener, genuine, plain, undefined)).milliseconds
  let worst = { milliseconds: -Infinity }
  const bodies = Object.entries(HOSTILE_BODIES).map(([kind, write]) => [kind, write(size), mediaTypeOf(kind)])
  if (readsFirst) bodies.push(...grown(genuine.body, size))
  for (const [kind, text, mediaType] of bodies) {
    const body = Buffer.from(text)
    if (body.length > size) throw new Error(`${kind} is ${body.length} bytes long`)
    const spent = await cpuOf(listener, genuine, body, mediaType)
    if (spent.status === 401 && spent.milliseconds > worst.milliseconds) worst = { kind, ...spent }
  }
  const milliseconds = Math.max(0, worst.milliseconds - signature)
  return { ...worst, scheme: scheme.name, size, readsFirst, milliseconds, signature }
}

async function receiver({ scheme, options, now, fetches, cases }) {
  const name = scheme.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  const { [name]: factory } = await import(`hookgate/schemes/${scheme}`)
  const genuine = cases.find((each) => each.expect.ok && each.options === undefined)
  const clock = { now: () => now * 1000 }
  const auth = factory({ ...options, ...(fetches && answersOf(scheme, fetches)) })
  const store = memoryStore({ clock, maxRecords: 10 })
  return { listener: defineListener({ id: scheme, auth, store, clock }), genuine }
}

/** The hosts' answers, as the vectors have them. */
function answersOf(scheme, fetches) {
  if (scheme === 'plaid') return { findKey: async (id) => Object(Object.values(fetches)[0])[id]?.body.key }
  return {
    async fetch(url) {
      const { status, body } = fetches[url] ?? fetches['*'] ?? { status: 404, body: '' }
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
    },
  }
}

async function cpuOf(listener, { method, url, headers }, body, mediaType) {
  const known = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const [signed] = listener.auth.sender.scheme.signature.headers
  if (known.has(signed)) known.set(signed, altered(known.get(signed)))
  const accepted = mediaType && listener.auth.sender.readerFor(mediaType.split(';')[0])
  if (accepted) known.set('content-type', mediaType)
  const delivery = { method, url, header: (name) => known.get(name), body, sourceIp: undefined }
  const spent = []
  let seen
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const before = process.cpuUsage()
    const verdict = await verify(delivery, listener)
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1000)
    seen = verdict
  }
  const sorted = spent.slice(WARM_UP).sort((left, right) => left - right)
  return { milliseconds: sorted[RUNS >> 1], reason: seen.reason, status: seen.status }
}

/** The sender's own body, with one of its values grown to the largest size. Gets further than bodies without a signature. */
function grown(text, size) {
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|=[^&]/g)].filter(([, colon]) => !colon)
  return ['a', 'é', '\\n'].flatMap((filler) =>
    values.map((value) => {
      const at = value.index + 1
      const count = Math.floor((size - Buffer.byteLength(text)) / Buffer.byteLength(filler))
      const name = text.slice(0, value.index).match(/(\w+)\W*$/)?.[1]
      return [`its own, with a long ${name}`, text.slice(0, at) + filler.repeat(count) + text.slice(at)]
    }),
  )
}

/** The same form of signature or token, but another. */
function altered(text) {
  const at = text.length - 6
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { tables } = await import('./tables.mjs')
  const rows = await measure({ progress: () => {} })
  console.log(tables.hostile(rows))
  const over = rows.filter(({ milliseconds }) => milliseconds > MOST_MILLISECONDS)
  if (process.argv.includes('--check') && over.length > 0) process.exitCode = 1
}
