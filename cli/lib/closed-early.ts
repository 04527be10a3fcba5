import type { ClientRequest } from 'node:http'

/** Calls `tell` when the connection closes without an answer. After a 101 that is all that Node reports. */
export function whenClosedEarly(request: ClientRequest, tell: () => void): void {
  let isAnswered = false
  request.on('response', () => {
    isAnswered = true
  })
  request.on('close', () => isAnswered || tell())
}
