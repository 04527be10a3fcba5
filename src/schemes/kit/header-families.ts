import type { Authenticator } from '../../auth/authenticator.ts'
import type { Evidence } from '../../auth/evidence.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import type { Delivery } from '../../delivery.ts'
import type { CompiledScheme } from '../../protocol.ts'
import { fail } from '../../reason.ts'
import type { Scheme, ValueLocation } from '../../scheme.ts'

/** A row's `auth`. */
export interface RowAuthenticator extends Authenticator {
  readonly protocol: CompiledScheme
}

/**
 * Makes the `auth` of a row with two families of headers: a delivery is read by the names of its own. One with headers of both is
 * refused, so that nothing unsigned of one can be added to the other. Undefined for any other row.
 */
export function inEitherFamily(
  scheme: Scheme,
  authOf: (row: Scheme) => RowAuthenticator,
): RowAuthenticator | undefined {
  const { otherHeaders } = scheme
  if (otherHeaders === undefined) return undefined
  const familyOf = familyReader(otherHeaders)
  const first = authOf(scheme)
  const auths = [first, authOf(inOtherFamily(scheme, otherHeaders))]
  return Object.freeze({
    ...first,
    protocol: {
      ...first.protocol,
      forDelivery: (delivery: Delivery) => (auths[familyOf(delivery)] ?? first).protocol,
    },
    authenticate: (evidence: Evidence) =>
      auths[familyOf(evidence.delivery)]?.authenticate(evidence) ??
      fail('signature_mismatch', 'headers of two families'),
  })
}

type Headers = Pick<Delivery, 'header'>

const BOTH = 2

/** Which family's headers a delivery has: the row's, which is 0, the other, which is 1, or `BOTH`. An empty header counts as absent. */
function familyReader(names: NonNullable<Scheme['otherHeaders']>): (delivery: Headers) => 0 | 1 | 2 {
  const has = (some: readonly string[], delivery: Headers) =>
    some.some((name) => delivery.header(name)?.length)
  const [first, other] = [Object.keys(names), Object.values(names)]
  return (delivery) => (has(other, delivery) ? (has(first, delivery) ? BOTH : 1) : 0)
}

const familyOf = (delivery: Headers, scheme: SenderScheme) =>
  familyReader((scheme.algorithm !== 'code' && scheme.otherHeaders) || {})(delivery)

/** Whether a delivery has headers of both families. */
export const mixesFamilies = (delivery: Headers, scheme: SenderScheme): boolean =>
  familyOf(delivery, scheme) === BOTH

/** The row in each family of headers: the row itself, and the same with the other names. */
export function rowsOf(scheme: SenderScheme): readonly SenderScheme[] {
  if (scheme.algorithm === 'code' || scheme.otherHeaders === undefined) return [scheme]
  return [scheme, inOtherFamily(scheme, scheme.otherHeaders)]
}

/** The row in the family of headers that a delivery has. */
export const rowFor = (delivery: Headers, scheme: SenderScheme): SenderScheme =>
  rowsOf(scheme)[familyOf(delivery, scheme)] ?? scheme

function inOtherFamily(
  { otherHeaders: _, ...row }: Scheme,
  names: NonNullable<Scheme['otherHeaders']>,
): Scheme {
  const renamed = (name: string) => names[name] ?? name
  const moved = <Place extends ValueLocation>(place: Place): Place =>
    'header' in place ? { ...place, header: renamed(place.header) } : place
  const { signature, timestamp, eventId, eventType } = row
  return {
    ...row,
    signature: { ...signature, headers: signature.headers.map(renamed) },
    ...(timestamp && { timestamp: moved(timestamp) }),
    ...(eventId && { eventId: moved(eventId) }),
    ...(eventType && { eventType: moved(eventType) }),
  }
}
