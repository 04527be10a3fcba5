import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { ERRORS_PAGE } from '../src/errors.ts'
import { type AddressMatcher, compileCidrs } from '../src/lib/cidr.ts'
import { hostOf, isPublicIp } from './public-address.ts'

/** The endpoint is, or resolves to, an address that is not on the public internet. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
  readonly code = 'ERR_ADDRESS_REFUSED'
  readonly help: string = `${ERRORS_PAGE}err_address_refused`
}

/** Decides which addresses may be connected to. */
export interface AddressGuard {
  /**
   * Returns an error if the host is an address that is not allowed, in any notation that a URL parser gives. Names
   * pass.
   */
  refusalOf(host: string): AddressRefusedError | undefined
  /** Looks up a name. Fails unless all its addresses are allowed. */
  readonly lookup: LookupFunction
}

/** @throws ListenerConfigError for malformed networks. */
export function addressGuard(
  allow: readonly string[] | undefined,
  lookup: LookupFunction = dns.lookup,
): AddressGuard {
  const isListed: AddressMatcher = allow === undefined ? () => false : compileCidrs(allow, 'allow')
  const isAllowed: AddressMatcher = (address) => isPublicIp(address) || isListed(address)
  return {
    refusalOf(hostname) {
      const host = hostOf(hostname)
      return isIP(host) !== 0 && !isAllowed(host) ? addressRefused(host) : undefined
    },
    lookup: judgedLookup(lookup, isAllowed),
  }
}

function judgedLookup(lookup: LookupFunction, isAllowed: AddressMatcher): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const [first] = addresses
      const stray = addresses.find(({ address }) => !isAllowed(address))
      if (first === undefined || stray) return callback(addressRefused(stray?.address ?? 'no address'), '')
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}

export function addressRefused(address: string): AddressRefusedError {
  return new AddressRefusedError(`is at ${address}, which is not on the public internet`)
}
