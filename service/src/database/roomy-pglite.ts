import { statfsSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'

/** Four WAL segments. */
const LEAST_FREE_BYTES = 64 * 1_024 * 1_024

/** Postgres's code for a full disk. */
class DiskFullError extends Error {
  override readonly name = 'DiskFullError'
  readonly code = '53100'
}

/**
 * A PGlite that refuses statements while its disk is nearly full. If PGlite cannot extend its WAL, the next statement
 * never returns and blocks the process. Works again as soon as there is room.
 */
export class RoomyPGlite extends PGlite {
  readonly #folder: string
  readonly #freeBytes: (folder: string) => number

  /** @param freeBytes Returns the free bytes on the folder's disk. */
  constructor(folder: string, freeBytes: (folder: string) => number = freeBytesOf) {
    super(folder)
    this.#folder = folder
    this.#freeBytes = freeBytes
  }

  override query: PGlite['query'] = (...given) => this.#withRoom(() => super.query(...given))
  override exec: PGlite['exec'] = (...given) => this.#withRoom(() => super.exec(...given))
  override transaction: PGlite['transaction'] = (work) => this.#withRoom(() => super.transaction(work))

  async #withRoom<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#freeBytes(this.#folder) >= LEAST_FREE_BYTES) return ask()
    throw new DiskFullError(`less than 64 MB are free for ${this.#folder}, and PGlite hangs on a full disk`)
  }
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
