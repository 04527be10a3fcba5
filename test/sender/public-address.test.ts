import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/sender/index.ts'
import { SPELLINGS } from './addresses.ts'

describe('isPublicAddress', () => {
  it.each([
    ['0.255.255.255', '1.0.0.0'],
    ['10.0.0.0', '9.255.255.255'],
    ['10.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.63.255.255'],
    ['100.127.255.255', '100.128.0.0'],
    ['127.0.0.0', '126.255.255.255'],
    ['127.255.255.255', '128.0.0.0'],
    ['168.63.129.16', '168.63.129.15'],
    ['168.63.129.16', '168.63.129.17'],
    ['169.254.0.0', '169.253.255.255'],
    ['169.254.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.15.255.255'],
    ['172.31.255.255', '172.32.0.0'],
    ['192.0.0.255', '192.0.1.0'],
    ['192.0.2.255', '192.0.3.0'],
    ['192.31.196.1', '192.31.197.0'],
    ['192.52.193.1', '192.52.194.0'],
    ['192.80.8.124', '192.80.8.123'],
    ['192.88.99.1', '192.88.100.0'],
    ['192.168.0.0', '192.167.255.255'],
    ['192.168.255.255', '192.169.0.0'],
    ['192.175.48.1', '192.175.49.0'],
    ['198.18.0.0', '198.17.255.255'],
    ['198.19.255.255', '198.20.0.0'],
    ['198.51.100.1', '198.51.101.0'],
    ['203.0.113.1', '203.0.114.0'],
    ['224.0.0.0', '223.255.255.255'],
    ['1fff:ffff::1', '2000::1'],
    ['2001:1ff::1', '2001:200::1'],
    ['2001:db8::1', '2001:db9::1'],
    ['2002:808:808::1', '2003::1'],
    ['2620:4f:8000::1', '2620:4f:8001::1'],
    ['3fff:fff::1', '3fff:1000::1'],
    ['4000::1', '3ffe:ffff::1'],
  ])('%s is not public, and its neighbour %s is', (reserved, beside) => {
    expect([isPublicAddress(reserved), isPublicAddress(beside)]).toEqual([false, true])
  })

  it.each([
    '',
    'localhost',
    'example.com',
    '8.8.8',
    '0x8.8.8.8',
    '010.8.8.8',
    '8.8.8.8 ',
    '[2606:4700::1]',
    'fe80::1%eth0',
    '::ffff:8.8.8.8',
  ])('isPublicAddress accepts only the standard notation, and not %j', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })
})

describe('isPublicAddress of a URL, as a customer types it', () => {
  it.each(SPELLINGS)('isPublicAddress refuses http://%s', (host) => {
    expect(isPublicAddress(`http://${host}/hooks`)).toBe(false)
    expect(isPublicAddress(`https://${host}:8443`)).toBe(false)
  })

  it.each([
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'nas.home.arpa',
    'intranet',
    'a.test',
    'a.onion',
    '127.0.0.1..',
    'localhost..',
    '.example.com',
    'example..com',
  ])('isPublicAddress refuses the name %s, which never leads to the internet', (name) => {
    expect(isPublicAddress(`https://${name}/hooks`)).toBe(false)
  })

  it.each([
    'https://example.com/hooks',
    'http://8.8.8.8',
    'https://[2606:4700::1111]:444/a',
    'https://notlocal.com',
    'https://localhost.example.com',
  ])('isPublicAddress lets %s pass', (url) => {
    expect(isPublicAddress(url)).toBe(true)
  })

  it.each([
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript://example.com',
    'https://',
    '://',
    'https://exa mple.com',
  ])('isPublicAddress refuses %s, which is not a URL to send to', (url) => {
    expect(isPublicAddress(url)).toBe(false)
  })
})
