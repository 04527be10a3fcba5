import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkUrl } from '../../../../cli/commands/doctor/endpoint-url.ts'
import type { ProbeAnswer } from '../../../../cli/commands/doctor/probe.ts'
import { checkRuntime } from '../../../../cli/commands/doctor/runtime.ts'
import { compareClocks } from '../../../../cli/commands/doctor/store.ts'
import { hookgate, ROOT, SECRET } from '../../support.ts'
import { diagnose, endpoint } from './support.ts'

const IDS = [
  'runtime',
  'secret.shape',
  'clock.local',
  'store',
  'jwks',
  'url',
  'clock.receiver',
  'proxy',
  'signature',
]

const WITH_SECRET = { HOOKGATE_SECRET: SECRET }

/** Add every check that needs no network here. */
const NEED_NO_NETWORK = ['runtime', 'secret.shape']

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hookgate-doctor-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('hookgate doctor', () => {
  it('the doctor reports all nine checks, including those that could not run', async () => {
    const { code, findings } = await diagnose([], { env: WITH_SECRET })
    expect([...new Set(findings.map(({ id }) => id))]).toEqual(IDS)
    expect(findings.filter(({ status }) => status === 'skip').every(({ fix }) => fix !== undefined)).toBe(
      true,
    )
    expect(code).toBe(0)
  })

  it('the doctor prints a line for each finding, its fix, and one line for all that --offline skips', async () => {
    const cwd = await folder()
    const env = { HOOKGATE_SECRET: `"${SECRET}"` }
    const { code, stdout } = await hookgate(['doctor', '--offline'], { env, cwd })
    expect(stdout).toContain('fail  secret.shape    HOOKGATE_SECRET has quotes around it\n')
    expect(stdout).toContain('                      → remove them\n')
    const [, skipped = ''] = stdout.split('\nNot checked:\n')
    expect(skipped.match(/^ {2}.*remove --offline$/gm)).toEqual([
      '  clock.local, url, clock.receiver, proxy, signature: needs the network → remove --offline',
    ])
    expect(skipped).toMatch(/^ {2}store: no store was given → set HOOKGATE_STORE/m)
    expect(stdout).not.toMatch(/^skip/m)
    expect(stdout).not.toContain(SECRET)
    expect(code).toBe(1)
  })

  it('the doctor prints one line of JSON, always with the same members', async () => {
    const { url } = await endpoint()
    const { stdout } = await hookgate(['doctor', '--json', '--url', url])
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    const diagnosis = JSON.parse(stdout)
    expect(Object.keys(diagnosis)).toEqual(['ok', 'findings'])
    expect(diagnosis.ok).toBe(true)
    for (const finding of diagnosis.findings) {
      const { id, status, seen, fix, ...more } = finding
      expect(IDS).toContain(id)
      expect(['ok', 'warn', 'fail', 'skip']).toContain(status)
      expect(typeof seen).toBe('string')
      expect(typeof fix).toBe(status === 'ok' ? 'undefined' : 'string')
      expect(more).toEqual({})
    }
  })

  it('the doctor sends nothing over the network with --offline', async () => {
    let connections = 0
    const server = createServer(() => {
      connections += 1
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    const at = `127.0.0.1:${port}`
    const names = ['--url', `http://${at}`, '--jwks', `http://${at}`, '--store', `redis://${at}`]
    const { code, findings } = await diagnose(['--offline', ...names])
    expect(code, 'nothing is checked, so nothing is ok').toBe(1)
    const skipped = findings.filter(({ fix }) => fix === 'remove --offline').map(({ id }) => id)
    expect(skipped.toSorted()).toEqual(IDS.filter((id) => !NEED_NO_NETWORK.includes(id)).toSorted())
    expect(connections).toBe(0)
  })

  it.each([['redis'], ['postgres']])('the doctor ends if nothing answers, %s included', async (engine) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const at = `127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
    const { code, findings } = await diagnose([
      ...['--url', `https://${at}/hooks`, '--jwks', `https://${at}/jwks`, '--store', `${engine}://${at}/0`],
    ])
    const failed = findings.filter(({ status }) => status === 'fail').map(({ id }) => id)
    expect(failed).toEqual(['store', 'jwks', 'url'])
    expect(code).toBe(1)
  })

  it.each([
    [['--url', 'example.com'], 'hookgate doctor: --url takes http:// or https:// and a host'],
    [['--url', 'https://user:hunter22@example.com'], 'hookgate doctor: --url must not contain credentials'],
    [['--sotre', 'x'], 'hookgate doctor: unknown option --sotre; did you mean --store?'],
    [['extra'], 'hookgate doctor: takes no arguments, only options'],
    [[], 'hookgate doctor: needs something to check: --url URL (your endpoint), --secret-file FILE or'],
    [['--json', '--offline', '--scheme', 'stripe'], 'hookgate doctor: needs something to check: --url URL'],
    [['--jwks', 'x', '--event-id', '1'], 'hookgate doctor: --event-id needs --url URL'],
    [['--jwks', 'x', '--public-url', 'https://x'], 'hookgate doctor: --public-url needs --url URL'],
  ])('the doctor exits with 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await hookgate(['doctor', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter22')
  })
})

describe('the check runtime', () => {
  it.each(['18.20.8', '20.18.3', '21.7.3', '22.0.0', '22.11.0'])(
    'runtime finds Node %s, whose require() cannot load hookgate, and proposes no npm ci',
    async (version) => {
      const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
      expect(engines.node).toBe('^20.19 || >=22.12')
      expect(await checkRuntime(process.cwd(), version)).toEqual([
        {
          status: 'fail',
          seen: `Node ${version} is not supported: its require() loads no ES module, such as hookgate`,
          fix: 'install Node 22.12 or newer, or 20.19 of Node 20',
        },
        { status: 'skip', seen: 'needs a supported Node', fix: 'see the version of Node' },
      ])
    },
  )

  it.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.0.0'])(
    'runtime has nothing against Node %s',
    async (version) => {
      expect((await checkRuntime(await folder(), version))[0]).toEqual({
        status: 'ok',
        seen: `Node ${version}`,
      })
    },
  )

  it('runtime finds a Node that was told to load no ES module by require()', async () => {
    const env = { ...WITH_SECRET, NODE_OPTIONS: '--no-experimental-require-module' }
    expect((await diagnose(['--offline'], { env })).complaints).toEqual([
      expect.stringMatching(/^warn runtime: require\(\) loads no ES module .* → remove --no-exp/),
    ])
  })

  async function projectWith(manifest: object): Promise<string> {
    const project = await folder()
    const installed = join(project, 'node_modules/hookgate')
    await mkdir(installed, { recursive: true })
    await writeFile(join(installed, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(installed, 'new-each-time.cjs'), NEW_EACH_TIME)
    return project
  }

  /** Stands in for a package that is loaded twice. */
  const NEW_EACH_TIME = "Object.defineProperty(exports, 'verify', { get: () => ({}) })"
  const ours = { './package.json': './package.json' }

  it("runtime finds another version of hookgate in the project's folder", async () => {
    const cwd = await projectWith({ version: '0.0.1', exports: ours })
    const { complaints } = await diagnose(['--offline'], { env: WITH_SECRET, cwd })
    expect(complaints).toEqual([
      expect.stringMatching(/^warn runtime: .* this folder has 0.0.1 → run npx --no-install hookgate doctor/),
    ])
  })

  it('runtime finds two copies (one for require, one for import), or none that loads', async () => {
    const { version } = JSON.parse(
      (await hookgate(['--version'])).stdout.replace(/^(.*)\n$/, '{"version":"$1"}'),
    )
    const two = await projectWith({ version, exports: { ...ours, '.': './new-each-time.cjs' } })
    expect((await diagnose(['--offline'], { env: WITH_SECRET, cwd: two })).complaints).toEqual([
      expect.stringMatching(/^warn runtime: require and import load two copies/),
    ])
    const none = await projectWith({ version, exports: { ...ours, '.': './gone.js' } })
    expect((await diagnose(['--offline'], { env: WITH_SECRET, cwd: none })).complaints).toEqual([
      'fail runtime: hookgate cannot be loaded from this folder → run npm ci',
    ])
  })
})

describe('findings that need a stand-in for the network', () => {
  /** Stands in for a host on another network. */
  const answering = (answer: Partial<ProbeAnswer>) => async () => ({ ...HEALTHY, ...answer })
  const HEALTHY: ProbeAnswer = {
    statusText: 'OK',
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    bytes: Buffer.from('{"code":"header_missing"}'),
    sentAt: 0,
    receivedAt: 0,
    certificateDays: 90,
  }
  const NOTHING_SAID = { scheme: undefined, publicUrl: undefined, tenantUrl: undefined }
  const judged = async (url: string, answer: Partial<ProbeAnswer>) =>
    (await checkUrl(new URL(url), NOTHING_SAID, answering(answer))).findings

  it('a certificate that expires soon', async () => {
    expect(await judged('https://hooks.example', { certificateDays: 13 })).toContainEqual({
      status: 'warn',
      seen: 'the certificate expires in 13 days',
      fix: 'renew it',
    })
    expect(await judged('https://hooks.example', { certificateDays: 14 })).toHaveLength(1)
  })

  it('a public endpoint without TLS', async () => {
    const [, finding] = await judged('http://hooks.example', { certificateDays: undefined })
    expect(finding).toMatchObject({ status: 'fail', fix: 'serve it over TLS' })
  })

  it('a store whose clock is off by more than the round trip', async () => {
    const ahead = await compareClocks({ now: async () => Date.now() + 60_000 })
    expect(ahead).toMatchObject([{ status: 'warn', seen: "the store's clock is 60 s ahead of this one" }])
    expect(await compareClocks({ now: async () => Date.now() - 60_000 })).toHaveLength(1)
    expect(await compareClocks({ now: async () => Date.now() - 20_000 })).toEqual([])
    expect(await compareClocks({})).toEqual([])
  })
})
