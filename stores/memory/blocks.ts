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
