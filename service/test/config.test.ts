import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig, rootSecret } from '../src/config.ts'
import { END_MS } from '../src/stop.ts'

describe('the environment', () => {
  it('the environment names a seed file that replaces the demo tenant', () => {
    for (const seed of ['here/seed.json', 'on', 'off'])
      expect(readConfig({ SERVICE_SEED: seed }).SERVICE_SEED).toBe(seed)
  })

  it('the environment may be empty', () => {
    expect(readConfig({ PATH: '/bin' })).toMatchObject({
      SERVICE_HOST: '127.0.0.1',
      SERVICE_PORT: 8788,
      SERVICE_DATA: '.hookgate-service',
      SERVICE_SEED: 'on',
      SERVICE_ALLOW_PRIVATE_JWKS: false,
    })
    expect(readConfig({}).SERVICE_DATABASE_URL).toBeUndefined()
  })

  it.each([
    ['SERVICE_PROT', '1'],
    ['SERVICE_PORT', 'eighty'],
    ['SERVICE_PORT', '65536'],
    ['SERVICE_PORT', ''],
    ['SERVICE_PORT', '0x10'],
    ['SERVICE_JOB_LEASE_SECONDS', ''],
    ['SERVICE_STOP_SECONDS', '-1'],
    ['SERVICE_HOST', 'localhost'],
    ['SERVICE_HOST', ''],
    ['SERVICE_DATABASE_URL', 'mysql://x/y'],
    ['SERVICE_BASE_URL', 'tenant.example'],
    ['SERVICE_BASE_URL', 'https://tenant.example/?x=1'],
    ['SERVICE_BASE_URL', 'https://tenant.example/#x'],
    ['SERVICE_BASE_URL', 'https://tenant.example?x'],
    ['SERVICE_BASE_URL', 'https://user@tenant.example/'],
    ['SERVICE_SECRET', 'x'.repeat(31)],
    ['SERVICE_SEED', 'yes'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/8, proxy'],
    ['SERVICE_SKIP_STEP', 'anybody'],
    ['SERVICE_DATA', ''],
    ['SERVICE_DATABASE_URL', ''],
    ['SERVICE_BASE_URL', ''],
    ['SERVICE_SECRET', ''],
    ['SERVICE_OTHER_SECRET', ''],
    ['SERVICE_SEED', ''],
    ['SERVICE_RETENTION_DAYS', '6'],
    ['SERVICE___PROTO__', 'x'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name)
  })

  it('the environment is used unchanged, except for trailing slashes of the base URL', () => {
    const config = readConfig({
      SERVICE_PORT: '0',
      SERVICE_BASE_URL: 'https://tenant.example:8443/@x//',
      SERVICE_DATABASE_URL: 'postgres://localhost/service',
      SERVICE_SECRET: 'x'.repeat(32),
      SERVICE_ALLOW_PRIVATE_JWKS: 'on',
      SERVICE_SKIP_STEP: 'approvers',
      SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.0/24,',
    })
    expect(config).toMatchObject({
      SERVICE_PORT: 0,
      SERVICE_BASE_URL: 'https://tenant.example:8443/@x',
      SERVICE_SKIP_STEP: 'approvers',
      SERVICE_ALLOW_PRIVATE_JWKS: true,
    })
    expect(config.SERVICE_TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '192.0.2.0/24'])
  })
})

describe('the secret', () => {
  it('the secret is generated once, into a file that only its owner can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookgate-service-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const config = readConfig({ SERVICE_DATA: join(folder, 'deep', 'er') })
    const all = await Promise.all([rootSecret(config), rootSecret(config), rootSecret(config)])
    expect(all.slice(1)).toEqual([all[0], all[0]])
    expect(all[0]).toMatch(/^[\w-]{43}$/)
    expect(await readdir(config.SERVICE_DATA)).toEqual(['secret'])
    expect((await stat(join(config.SERVICE_DATA, 'secret'))).mode & 0o077).toBe(0)
  })

  it('the secret comes from the configuration if set, and then no file is written', async () => {
    const config = readConfig({ SERVICE_DATA: '/nowhere', SERVICE_SECRET: 'y'.repeat(40) })
    expect(await rootSecret(config)).toBe('y'.repeat(40))
  })
})

it('the demo tenant is off by default on a database URL, where its token would stand in a log', () => {
  const url = { SERVICE_DATABASE_URL: 'postgres://localhost/x' }
  expect(
    [{}, url, { ...url, SERVICE_SEED: 'on' }].map((given) => readConfig(given).SERVICE_SEED),
  ).toStrictEqual(['on', 'off', 'on'])
})

it('the trusted proxies are networks or addresses, of both families', () => {
  expect(
    readConfig({ SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8 192.0.2.1' }).SERVICE_TRUSTED_PROXIES,
  ).toStrictEqual(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
  expect(readConfig({ SERVICE_TRUSTED_PROXIES: '' }).SERVICE_TRUSTED_PROXIES).toStrictEqual([])
  expect(readConfig({}).SERVICE_TRUSTED_PROXIES).toStrictEqual([])
})

it('a stop takes less than the 10 seconds after which Docker kills, by default', () => {
  const { SERVICE_DRAIN_SECONDS: drain, SERVICE_STOP_SECONDS: stop } = readConfig({})
  expect(drain + stop + END_MS / 1_000).toBeLessThan(10)
})
