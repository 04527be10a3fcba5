const BITS = 12

/** Records per block. Arrays of records grow by a block, so that growing copies nothing and no claim waits for it. */
export const BLOCK: number = 1 << BITS

/** The index of a record's block. */
export function blockOf(record: number): number {
  return record >>> BITS
}

/** The index of a record within its block. */
export function placeOf(record: number): number {
  return record & (BLOCK - 1)
}

/** What the table knows of `BLOCK` records besides their keys, each at `placeOf(record)`. */
export class Block {
  /** When the record expires, in milliseconds. */
  readonly until: Float64Array = new Float64Array(BLOCK)
  /** When it was claimed or committed, in whole seconds. */
  readonly keptAt: Uint32Array = new Uint32Array(BLOCK)
  /** The neighbours in the list of records. In the free list, only `newer`. */
  readonly older: Uint32Array = new Uint32Array(BLOCK)
  readonly newer: Uint32Array = new Uint32Array(BLOCK)
  readonly owners: (string | undefined)[] = new Array(BLOCK).fill(undefined)
}
