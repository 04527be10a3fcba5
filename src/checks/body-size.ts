import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** At most `maxBodyBytes`. Readers stop one byte past the limit, so the true size is unknown here. */
export function checkBodySize({ delivery, listener }: Verification): Failure<'body_too_large'> | undefined {
  if (delivery.body.byteLength <= listener.maxBodyBytes) return undefined
  return fail('body_too_large', `the body is over ${listener.maxBodyBytes} bytes`)
}
