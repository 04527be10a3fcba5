import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/index.ts'
import { appStore } from '../../src/schemes/app-store.ts'
import { defineScheme, type PublicKeyOptions } from '../../src/schemes/kit/index.ts'
import { rfc9421 } from '../../src/schemes/rfc9421.ts'
import { wix } from '../../src/schemes/wix.ts'
import { selfSigned } from '../support/self-signed.ts'

const pemOf = (keys: { readonly publicKey: KeyObject }) =>
  `${keys.publicKey.export({ type: 'spki', format: 'pem' })}`
const EC = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const RSA = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const acme = defineScheme<PublicKeyOptions>({
  name: 'acme',
  sender: 'Acme',
  secretName: 'public key',
  algorithm: 'ecdsa-p256-sha256',
  key: 'base64',
  signature: { headers: ['x-acme-signature'], spelling: 'base64' },
  signs: '{body}',
  maxBodyBytes: 1000,
  limits: 'The headers are not signed.',
})
const publicUrl = 'https://example.com/hooks'

/** Environment variables and their files often hold a line break as two characters. */
describe('a PEM whose line breaks are a backslash and an n', () => {
  const TAKEN: readonly (readonly [where: string, pem: string, make: (pem: string) => unknown])[] = [
    ['a row with public keys', EC, (pem) => acme({ publicKeys: pem })],
    ['rfc9421', EC, (pem) => rfc9421({ publicKeys: pem, publicUrl, secrets: undefined })],
    [
      'app-store',
      selfSigned().cert,
      (pem) => appStore({ rootCertificates: pem, bundleId: 'com.example', environment: 'Sandbox' }),
    ],
    ['wix', RSA, (pem) => wix({ publicKeys: pem })],
  ]

  it.each(TAKEN)('is taken by %s, with LF and with CRLF', (_, pem, make) => {
    for (const text of [pem, pem.replaceAll('\n', '\\n'), pem.replaceAll('\n', '\\r\\n')])
      expect(() => make(text)).not.toThrow()
    expect(() => make(pem.replaceAll('\n', '\\t'))).toThrow(ListenerConfigError)
  })
})
