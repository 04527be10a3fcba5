import type { Authenticator } from '../../auth/authenticator.ts'
import type { Delivery } from '../../delivery.ts'
import type { CompiledScheme } from '../../protocol.ts'
import { fail } from '../../reason.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Scheme, ValueLocation } from './scheme.ts'

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
  const auths = { first: authOf(scheme), other: authOf(inOtherFamily(scheme, otherHeaders)) }
  const { first } = auths
  return Object.freeze({
    ...first,
    protocol: {
      ...first.protocol,
      forDelivery(delivery) {
        const family = familyOf(delivery)
        return (family === 'both' ? first : auths[family]).protocol
      },
    } satisfies CompiledScheme,
    authenticate(evidence) {
      const family = familyOf(evidence.delivery)
      return family === 'both'
        ? fail('signature_mismatch', mixed(scheme))
        : auths[family].authenticate(evidence)
    },
  } satisfies RowAuthenticator)
}

const mixed = (scheme: SenderScheme) =>
  `headers of two families, like ${rowsOf(scheme)
    .map(({ signature }) => signature.headers[0])
    .join(' and ')}`

type Headers = Pick<Delivery, 'header'>

/** An empty header counts as absent. */
function familyReader(
  names: NonNullable<Scheme['otherHeaders']>,
): (delivery: Headers) => 'first' | 'other' | 'both' {
  const [first, other] = [Object.keys(names), Object.values(names)]
  const hasOneOf = (delivery: Headers, some: readonly string[]) =>
    some.some((name) => Boolean(delivery.header(name)?.length))
  return (delivery) => {
    if (!hasOneOf(delivery, other)) return 'first'
    return hasOneOf(delivery, first) ? 'both' : 'other'
  }
}

function familyOf(delivery: Headers, scheme: SenderScheme): 'first' | 'other' | 'both' {
  return familyReader((scheme.algorithm !== 'code' && scheme.otherHeaders) || {})(delivery)
}

/** Says that a delivery has headers of both families. Undefined for any other. */
export function mixedFamilies(delivery: Headers, scheme: SenderScheme): string | undefined {
  return familyOf(delivery, scheme) === 'both' ? mixed(scheme) : undefined
}

/** The row in each family of headers: the row itself, and the same with the other names. */
export function rowsOf(scheme: SenderScheme): readonly SenderScheme[] {
  if (scheme.algorithm === 'code' || scheme.otherHeaders === undefined) return [scheme]
  return [scheme, inOtherFamily(scheme, scheme.otherHeaders)]
}

/** The row in the family of headers that a delivery has. */
export function rowFor(delivery: Headers, scheme: SenderScheme): SenderScheme {
  const [row = scheme, other = row] = rowsOf(scheme)
  return familyOf(delivery, scheme) === 'other' ? other : row
}

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
