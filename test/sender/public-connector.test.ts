import { isIP, type LookupFunction, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/errors.ts'
import { type ConnectorTarget, publicConnector } from '../../src/sender/index.ts'
import { SPELLINGS } from './addresses.ts'

type Options = Parameters<typeof publicConnector>[1]

/** Calls the connector like undici, but connects nowhere. Returns the outcome and the target it would have reached. */
async function attempt(target: ConnectorTarget, options?: Options) {
  const connections: string[] = []
  const connect = publicConnector(
    ({ lookup }) =>
      ({ hostname }, callback) => {
        const arrive = (address: string) => {
          connections.push(address)
          callback(null, new Socket())
        }
        if (isIP(hostname) !== 0) return arrive(hostname)
        lookup(hostname, {}, (error, address) => (error ? callback(error, null) : arrive(String(address))))
      },
    options,
  )
  const error = await new Promise<Error | null>((resolve) =>
    connect(target, (failure, _) => resolve(failure)),
  )
  return { code: Object(error).code, connections }
}

/** A name that resolves to this address. */
const leadsTo =
  (address: string): LookupFunction =>
  (_, __, callback) =>
    callback(null, [{ address, family: isIP(address) }])

const hostnameOf = (spelling: string) => new URL(`http://${spelling}`).hostname
const REFUSED = { code: 'ERR_ADDRESS_REFUSED', connections: [] }

describe('publicConnector', () => {
  it.each(SPELLINGS)('%s is refused, and a name for it, without a connect call', async (spelling) => {
    const hostname = hostnameOf(spelling)
    expect(await attempt({ hostname })).toEqual(REFUSED)
    const lookup = leadsTo(hostname.replace(/[[\]]/g, ''))
    expect(await attempt({ hostname: 'endpoint.example' }, { lookup })).toEqual(REFUSED)
  })

  it('publicConnector lets a public address pass, and a name that leads there', async () => {
    const connected = { code: undefined, connections: ['203.0.114.7'] }
    expect(await attempt({ hostname: '203.0.114.7' })).toEqual(connected)
    const lookup = leadsTo('203.0.114.7')
    expect(await attempt({ hostname: 'endpoint.example' }, { lookup })).toEqual(connected)
  })

  it('publicConnector lets a network of your own pass, and not its neighbour', async () => {
    const options = { allow: ['10.20.0.0/16'] }
    expect((await attempt({ hostname: '10.20.255.255' }, options)).connections).toEqual(['10.20.255.255'])
    expect(await attempt({ hostname: '10.21.0.0' }, options)).toEqual(REFUSED)
  })

  it.each([
    ['a Unix socket', { socketPath: '/run/app.sock' }],
    ['a proxy', { httpSocket: new Socket() }],
  ])('publicConnector refuses %s, also to a public address', async (_, way) => {
    expect(await attempt({ hostname: '203.0.114.7', ...way })).toEqual(REFUSED)
  })

  it('publicConnector refuses options that it does not know', () => {
    const wrong = { allowed: ['10.0.0.0/8'] } as Options // misspelt, as in plain JavaScript
    expect(() => publicConnector(() => () => {}, wrong)).toThrow(ListenerConfigError)
  })
})
