/** Random choices that repeat with the seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end
  }

  chance(part: number): boolean {
    return this.below(1) < part
  }

  pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value {
    const value = values[Math.floor(this.below(values.length))]
    if (value === undefined && values.length === 0) throw new RangeError('there is nothing to pick from')
    return value as Value // what is at its place
  }

  some<Value>(values: readonly Value[], part = 0.5): Value[] {
    return values.filter(() => this.chance(part))
  }
}
