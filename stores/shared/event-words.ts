/** How many 32-bit words an event key takes: four of its UUID, and a number for its listener. */
export const WORDS = 5

const FINAL_ROUNDS = 3

export function writeWords(words: Uint32Array, uuid: string, listener: number): void {
  words[0] = (fourDigits(uuid, 0) << 16) | fourDigits(uuid, 4)
  words[1] = (fourDigits(uuid, 9) << 16) | fourDigits(uuid, 14)
  words[2] = (fourDigits(uuid, 19) << 16) | fourDigits(uuid, 24)
  words[3] = (fourDigits(uuid, 28) << 16) | fourDigits(uuid, 32)
  words[4] = listener
}

function fourDigits(text: string, at: number): number {
  return (
    (digit(text.charCodeAt(at)) << 12) |
    (digit(text.charCodeAt(at + 1)) << 8) |
    (digit(text.charCodeAt(at + 2)) << 4) |
    digit(text.charCodeAt(at + 3))
  )
}

/** The value of a hexadecimal digit, of either case. */
function digit(code: number): number {
  return (code & 15) + (code >> 6) * 9
}

/** Random once, at the first use: workerd has no randomness before the first request. */
let seed: Uint32Array | undefined

/**
 * HalfSipHash-1-3 of the words from `at` on, without its length block: they are always five. Keyed, because senders choose their
 * event IDs, and one of them could choose a million that fall on one place.
 */
export function hashOf(words: Uint32Array, at: number): number {
  seed ??= crypto.getRandomValues(new Uint32Array(2))
  const [key0 = 0, key1 = 0] = seed
  let a = key0 | 0
  let b = key1 | 0
  let c = key0 ^ 0x6c796765
  let d = key1 ^ 0x74656462
  for (let round = 0; round < WORDS + FINAL_ROUNDS; round += 1) {
    const word = round < WORDS ? (words[at + round] ?? 0) : 0
    if (round === WORDS) c ^= 0xff
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
