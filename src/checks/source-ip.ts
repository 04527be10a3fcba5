import { type AddressMatcher, plainAddress } from '../lib/cidr.ts'
import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Requires a source within `allowedCidrs`, if any are set. An unknown address is refused. */
export function checkSourceIp({ delivery, listener }: Verification): SourceFailure | undefined {
  return listener.isSourceAllowed && sourceFailure(delivery.sourceIp, listener.isSourceAllowed)
}

export type SourceFailure = Failure<'source_ip_not_allowed'>

/** Why a source is refused. */
export function sourceFailure(
  sourceIp: string | undefined,
  isSourceAllowed: AddressMatcher,
): SourceFailure | undefined {
  if (!sourceIp) return fail('source_ip_not_allowed', 'the source address is unknown')
  if (isSourceAllowed(sourceIp)) return undefined
  const address = plainAddress(sourceIp)
  const problem = address ? `${address} is in none of allowedCidrs` : 'the source is not an address'
  return fail('source_ip_not_allowed', problem)
}
