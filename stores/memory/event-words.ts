/** 32-bit words per event key. */
export const WORDS = 4

const FINAL_ROUNDS = 3

/**
 * Writes a key: the UUID xor the listener's 128-bit hash. Keys of two listeners collide only if their UUIDs differ by
 * exactly the difference of the hashes, which no sender knows.
 */
export function writeWords(words: Uint32Array, uuid: string, listener: Uint32Array): void {
  words[0] = ((fourDigits(uuid, 0) << 16) | fourDigits(uuid, 4)) ^ (listener[0] ?? 0)
  words[1] = ((fourDigits(uuid, 9) << 16) | fourDigits(uuid, 14)) ^ (listener[1] ?? 0)
  words[2] = ((fourDigits(uuid, 19) << 16) | fourDigits(uuid, 24)) ^ (listener[2] ?? 0)
  words[3] = ((fourDigits(uuid, 28) << 16) | fourDigits(uuid, 32)) ^ (listener[3] ?? 0)
}

function fourDigits(text: string, at: number): number {
  return (
    (digit(text.charCodeAt(at)) << 12) |
    (digit(text.charCodeAt(at + 1)) << 8) |
    (digit(text.charCodeAt(at + 2)) << 4) |
    digit(text.charCodeAt(at + 3))
  )
}

/** The value of a hexadecimal digit in either case. */
function digit(code: number): number {
  return (code & 15) + (code >> 6) * 9
}

/** The keys of `hashOf`, then of each word of `listenerWords`. */
let seeds: Uint32Array | undefined

/** Drawn at first use, because workerd has no randomness before the first request. */
function seed(index: number): number {
  seeds ??= crypto.getRandomValues(new Uint32Array(2 + 2 * WORDS))
  return seeds[index] ?? 0
}

/** The hash of the key at `words[at]`. */
export function hashOf(words: Uint32Array, at: number): number {
  return halfSipHash(words, at, WORDS, seed(0), seed(1))
}

/** A 128-bit hash of a listener's ID of any length. Differs after each start. */
export function listenerWords(id: string): Uint32Array {
  const units = new Uint32Array(1 + Math.ceil(id.length / 2))
  units[0] = id.length // otherwise an ID of odd length would equal the same ID with a trailing NUL
  for (let index = 0; index < id.length; index += 1) {
    const word = 1 + (index >> 1)
    units[word] = ((units[word] ?? 0) << 16) | id.charCodeAt(index)
  }
  const hash = (_: unknown, index: number) =>
    halfSipHash(units, 0, units.length, seed(2 + 2 * index), seed(3 + 2 * index))
  return Uint32Array.from({ length: WORDS }, hash)
}

/**
 * HalfSipHash-1-3 of `count` words from `at`, without its length block: all inputs under one key have the same length, or
 * start with it. Keyed, because senders choose their event IDs and could otherwise force collisions.
 */
function halfSipHash(words: Uint32Array, at: number, count: number, key0: number, key1: number): number {
  let a = key0 | 0
  let b = key1 | 0
  let c = key0 ^ 0x6c796765
  let d = key1 ^ 0x74656462
  for (let round = 0; round < count + FINAL_ROUNDS; round += 1) {
    const word = round < count ? (words[at + round] ?? 0) : 0
    if (round === count) c ^= 0xff
    d ^= word
    a = (a + b) | 0
    b = rotate(b, 5) ^ a
    a = rotate(a, 16)
    c = (c + d) | 0
    d = rotate(d, 8) ^ c
    a = (a + d) | 0
    d = rotate(d, 7) ^ a
    c = (c + b) | 0
    b = rotate(b, 13) ^ c
    c = rotate(c, 16)
    a ^= word
  }
  return (b ^ d) >>> 0
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
