import { generateKeyPairSync, sign } from 'node:crypto'
import { der, sequence } from './der.ts'

/**
 * A certificate for 127.0.0.1 and keys.test. Written in DER (RFC 5280 4.1), because Node can read certificates but not
 * make them.
 */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(der(0x06, '2a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(der(0x06, '550403'), der(0x0c, Buffer.from('test only')))))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const hosts = [der(0x87, '7f000001'), der(0x82, Buffer.from('keys.test'))]
  const alternativeName = sequence(der(0x06, '551d11'), der(0x04, sequence(...hosts)))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, '02')),
    der(0x02, '01'),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(alternativeName)),
  )
  const signature = Buffer.concat([Buffer.alloc(1), sign('sha256', toBeSigned, privateKey)])
  const certificate = sequence(toBeSigned, ecdsaWithSha256, der(0x03, signature))
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}
