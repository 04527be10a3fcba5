import { isAddress } from '../lib/cidr.ts'
import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Requires a source within `allowedCidrs`, if any are set. An unknown address is refused. */
export function checkSourceIp({
  delivery,
  listener,
}: Verification): Failure<'source_ip_not_allowed'> | undefined {
  if (listener.isSourceAllowed === undefined) return undefined
  const { sourceIp } = delivery
  if (!sourceIp) return fail('source_ip_not_allowed', 'the source address is unknown')
  if (listener.isSourceAllowed(sourceIp)) return undefined
  const problem = isAddress(sourceIp)
    ? `${sourceIp} is in none of allowedCidrs`
    : 'the source is not an address'
  return fail('source_ip_not_allowed', problem)
}
