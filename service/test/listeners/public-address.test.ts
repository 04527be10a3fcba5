import { expect, it } from 'vitest'
import { isPublicAddress } from '../../src/listeners/public-address.ts'
import { CLOUD_ADDRESSES } from './cloud-addresses.ts'

it.each([
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '192.80.8.123',
  '192.80.8.125',
  '2606:4700::1111',
  '2a00:1450:4001:82a::200e',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  ['this network', '0.0.0.0'],
  ['private', '10.0.0.0'],
  ['private', '10.255.255.255'],
  ['shared (CGNAT)', '100.64.0.0'],
  ['shared (CGNAT)', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.255'],
  ['link-local: where clouds keep credentials', '169.254.169.254'],
  ['private', '172.16.0.0'],
  ['private', '172.31.255.255'],
  ['protocol assignments', '192.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['private', '192.168.0.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-mapped', '::ffff:10.0.0.1'],
  ['IPv4-mapped, public or not', '::ffff:8.8.8.8'],
  ['IPv4-translated', '::ffff:0:10.0.0.1'],
  ['NAT64', '64:ff9b::a00:1'],
  ['NAT64 of a network', '64:ff9b:1::a00:1'],
  ['discard', '100::1'],
  ['Teredo', '2001::1'],
  ['documentation', '2001:db8::1'],
  ['6to4', '2002:a00:1::'],
  ['documentation', '3fff::1'],
  ['not handed out', '4000::1'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['unique local', 'fd12:3456::1'],
  ['link-local', 'fe80::1'],
  ['link-local, with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['no address', 'localhost'],
  ['no address', ''],
])('%s: %s is not', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(CLOUD_ADDRESSES)('%s: %s is not', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(['168.63.129.020', '0xa8.63.129.16', '2822734096', '::ffff:a83f:8110'])(
  'Azure: WireServer, spelt %s, is not',
  (address) => {
    expect(isPublicAddress(address)).toBe(false)
  },
)
