import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The bytes in use after a garbage collection, on the heap and in buffers. */
export function liveBytes(): number {
  collectGarbage()
  collectGarbage() // finalizers release more memory
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
