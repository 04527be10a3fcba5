import { type Attempt, type Failure, fail } from './check.ts'

/** The source is in one of `allowedCidrs`, if there are any (specification 5.2). An unknown address is in none. */
export function checkSourceIp({ delivery, listener }: Attempt): Failure<'source_ip_not_allowed'> | undefined {
  if (listener.isSourceAllowed === undefined) return undefined
  if (delivery.sourceIp === undefined) return fail('source_ip_not_allowed', 'the source address is unknown')
  if (listener.isSourceAllowed(delivery.sourceIp)) return undefined
  return fail('source_ip_not_allowed', 'the source address is in none of allowedCidrs')
}
