import { randomNumbers } from '../support/random-numbers.ts'

/** Random choices that repeat with the seed. */
export interface Random {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(count: number): Buffer
  uuid(): string
}

export function randomFrom(seed: number): Random {
  const next = randomNumbers(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => below(256)))
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const found = items.slice(below(items.length))[0]
      if (found === undefined) throw new Error('nothing to pick from')
      return found
    },
    bytes,
    uuid: () => {
      const hex = bytes(16).toString('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
    },
  }
}
