import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { build as rolldown } from 'rolldown'
import { describe, expect, inject, it } from 'vitest'
import { schemeNames, specifierOf, subpaths } from './manifest.ts'

const EDGE = ['workerd', 'worker', 'browser']

interface Platform {
  readonly platform?: 'node' | 'neutral'
  readonly conditions?: readonly string[]
  readonly external?: readonly string[]
}

/** A program bundled as a user would, and the packages in the bundle. */
async function bundle(program: string, options: Platform = {}) {
  const { platform = 'neutral', conditions = EDGE, external = ['node:*', '@opentelemetry/api'] } = options
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: inject('bare') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    mainFields: ['module', 'main'],
    conditions: [...conditions],
    external: [...external],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const files = Object.keys(metafile.inputs)
  const packages = files.flatMap((path) => /node_modules\/([^/]+)\//.exec(path)?.[1] ?? [])
  return {
    gzipped: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    files,
    packages: [...new Set(packages)].toSorted(),
    text: outputFiles[0]?.text ?? '',
    /** The size of a file in bytes, compressed. */
    bytesOf: (end: string) =>
      Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .find(([path]) => path.endsWith(end))?.[1].bytesInOutput ?? 0,
  }
}

/** The same program, bundled by Rolldown, as by Vite and Rollup. Fails for any warning. */
async function rolledUp(program: string): Promise<string> {
  const input = join(inject('bare'), 'program.js')
  const { output } = await rolldown({
    input,
    cwd: inject('bare'),
    external: /^(?!hookgate)[^./\0]/,
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === input ? id : null),
        load: (id) => (id === input ? program : null),
      },
    ],
    output: { minify: true },
    write: false,
    onLog(_level, { message }) {
      throw new Error(message)
    },
  })
  return output.map((each) => ('code' in each ? each.code : '')).join('\n')
}

/** What a bundler keeps of a file of which nothing is used, if it may not drop the whole file. */
async function keptOf(chunk: string): Promise<string> {
  const path = join(inject('bare'), `node_modules/hookgate/dist/${chunk}.js`)
  const { outputFiles } = await build({
    stdin: { contents: `import ${JSON.stringify(path)}`, resolveDir: inject('bare') },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'alone',
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, (found) =>
            found.path === path
              ? { path, sideEffects: true }
              : { path: found.path, external: true, sideEffects: false },
          ),
      },
    ],
  })
  return (outputFiles[0]?.text ?? '').replace(/^(?:import[^;]*;)+/, '').trim()
}

const KB = 1024
const HMAC = `export { defineListener, hmac, verify } from 'hookgate'`
const JWT = `export { jwt, remoteKeySet } from 'hookgate/jwt'`

/**
 * Node alone joins and hashes long bodies in turns of the event loop, which Web Crypto does elsewhere. It also tells and bounds what is
 * explained of refusals, and shares a timer. Public keys and tokens take up to `more` KB more there.
 */
const builds = [
  { name: 'for the web', options: {}, more: 0, hmac: 10.8, handler: 23.75 },
  {
    name: 'for Node',
    options: { platform: 'node', conditions: ['node'] },
    more: 0.77,
    hmac: 11.15,
    handler: 24.9,
  },
] as const satisfies readonly {
  name: string
  options: Platform
  more: number
  hmac: number
  handler: number
}[]

/** GitHub brings forms, Slack also handshakes, the next two public keys, and Shopify a list of topics. */
const BROUGHT: { readonly [name: string]: number } = {
  github: 0.68,
  slack: 1.65,
  'standard-webhooks': 2.4,
  discord: 2.8,
  shopify: 1.91,
}

describe.each(builds)('minified and gzipped $name', ({ options, more, hmac, handler }) => {
  const beyond = async (program: string, ...external: readonly string[]) => {
    const { gzipped, packages } = await bundle(program, { ...options, external: ['node:*', ...external] })
    expect(packages).toEqual(['hookgate'])
    return gzipped
  }

  // 10 KB is the goal. 0.8 KB read addresses and networks, and 0.5 KB tell what became of a lease behind a lock or a late answer.
  it('hookgate with HMAC is at most 10.8 KB for the web, and 11.15 KB for Node', async () => {
    expect(await beyond(HMAC)).toBeLessThanOrEqual(hmac * KB)
  })

  // The first scheme brings everything that schemes share. DECISIONS.md says what that is. 0.7 KB name what is wrong
  // with a secret.
  it('the first scheme adds at most 6.05 KB to that, and each further one 0.2 KB, or what its row brings', async () => {
    const scheme = (name: string) => `export * from '${specifierOf(`./schemes/${name}`)}'`
    const first = await beyond(`${HMAC}\n${scheme('stripe')}`)
    expect(first - (await beyond(HMAC))).toBeLessThanOrEqual(6.05 * KB)
    for (const name of ['github', 'slack', 'standard-webhooks', 'discord', 'linear', 'shopify']) {
      const second = await beyond(`${HMAC}\n${scheme('stripe')}\n${scheme(name)}`)
      expect(second - first, name).toBeLessThanOrEqual(((BROUGHT[name] ?? 0.2) + more) * KB)
    }
  })

  // 22 KB is the goal. The messages of errors take 3 KB, and renewing a lease 1.2 KB. 1.1 KB tell a failure with its cause, masked, and
  // 0.25 KB name the limit of a host.
  it('the bundle with Stripe and webhookHandler is at most 23.75 KB for the web, and 24.9 KB for Node', async () => {
    const program = `export { defineListener } from 'hookgate'
      export { stripe } from 'hookgate/schemes/stripe'
      export { webhookHandler } from 'hookgate/web'`
    expect(await beyond(program)).toBeLessThanOrEqual(handler * KB)
  })

  // 0.05 KB renew a lease.
  it('memoryStore adds at most 0.97 KB to hookgate with HMAC', async () => {
    const both = await beyond(`${HMAC}\nexport { memoryStore } from 'hookgate/stores/memory'`)
    expect(both - (await beyond(HMAC))).toBeLessThanOrEqual(0.97 * KB)
  })

  // hookgate/jwt is never used without hookgate, so the code that both share counts there. 0.3 KB let the same verifier check
  // the tokens of other senders.
  it('hookgate/jwt adds at most 4.65 KB to that, beyond jose', async () => {
    const both = await beyond(`${HMAC}\n${JWT}`, 'jose')
    expect(both - (await beyond(HMAC))).toBeLessThanOrEqual((4.65 + more) * KB)
  })
})

/** The packages that a subpath may bring along, apart from hookgate itself. */
const PACKAGES: { readonly [subpath: string]: readonly string[] } = {
  './jwt': ['jose'],
  './sender': ['jose'],
  './testing': ['jose'],
  './fastify': ['fastify-plugin'],
  './listeners': ['lru-cache'],
  './schemes/graph': ['jose'],
  './schemes/plaid': ['jose'],
  './schemes/pubsub': ['jose'],
  './schemes/vercel-connect': ['jose'],
  './stores/local-cache': ['lru-cache'],
}

describe('what a subpath brings along', () => {
  it.each(subpaths)('%s: no framework, and no package that it does not need', async (subpath) => {
    const { packages } = await bundle(`export * from '${specifierOf(subpath)}'`)
    const expected = [...(PACKAGES[subpath] ?? []), 'hookgate'].toSorted()
    expect(packages, 'PACKAGES in test/suites/package/size.test.ts').toEqual(expected)
  })

  it.each(schemeNames)('hookgate/schemes/%s: no other scheme', async (name) => {
    const { files } = await bundle(`export * from '${specifierOf(`./schemes/${name}`)}'`)
    const schemes = files.flatMap((path) => /\/dist\/src\/schemes\/([^/]+)\.js$/.exec(path)?.[1] ?? [])
    expect(schemes).toEqual([name])
  })

  it.each([
    ['replyTo', '.', 'Service Unavailable'],
    ['route', '.', "needs a handler for '*'"],
    ['defineScheme', './schemes', 'SubjectPublicKeyInfo'],
    ['signAs', './testing', 'is needed to sign as'],
    ['inbox', './inbox', 'hookgate_inbox'],
    ['entityVersions', './stores/postgres', 'hookgate_versions'],
  ])('%s is tree-shaken if it is not used', async (name, subpath, text) => {
    const unused = `import '${specifierOf(subpath)}'\n${HMAC}`
    expect((await bundle(`export { ${name} } from '${specifierOf(subpath)}'`)).text).toContain(text)
    expect((await bundle(unused)).text).not.toContain(text)
  })

  it.each(['inbox', 'stores/mysql'])('hookgate/%s is in no other subpath', async (name) => {
    const others = subpaths.filter((subpath) => subpath !== `./${name}`)
    const { files } = await bundle(
      others
        .map((subpath) => `export * as _${others.indexOf(subpath)} from '${specifierOf(subpath)}'`)
        .join('\n'),
    )
    expect(files.filter((path) => path.includes(`/dist/src/${name}/`))).toEqual([])
    expect((await bundle(`export * from '${specifierOf(`./${name}`)}'`)).files.join()).toContain(
      `/dist/src/${name}/`,
    )
  })

  it('postgresStore brings nothing of entityVersions', async () => {
    const { text } = await bundle("export { postgresStore } from 'hookgate/stores/postgres'")
    expect(text).toContain('hookgate_events')
    expect(text).not.toMatch(/hookgate_versions|unmarked/)
  })

  it.each(['express', 'fastify', 'hono', 'web', 'adapter'])(
    'hookgate/%s does not bring hookgate/explain, which it loads by a name that no bundler follows, and never on Workers',
    async (adapter) => {
      const program = `export * from '${specifierOf(`./${adapter}`)}'`
      const node = { platform: 'node', conditions: ['node'] } as const
      const onNode = (await bundle(program, node)).text
      expect(onNode).toContain('hookgate/explain')
      expect(onNode).not.toContain('nothing more specific was found')
      for (const text of [(await bundle(program)).text, await rolledUp(program)]) {
        expect(text).not.toContain('hookgate/explain')
      }
      expect(await rolledUp("export * from 'hookgate/explain'")).toContain('nothing more specific was found')
    },
  )

  it('an unused subpath brings nothing, because the package has no side effects', async () => {
    const program = subpaths.map((subpath) => `import '${specifierOf(subpath)}'`).join('\n')
    expect((await bundle(program)).text.trim()).toBe('')
  })

  it.each(['src/core', 'src/shared', 'src/crypto/web', 'adapters/kit'])(
    'dist/%s.js runs nothing on import, which a bundle would have to keep',
    async (chunk) => {
      expect(await keptOf(chunk)).toBe('')
    },
  )

  it('dist/src/crypto/node.js does nothing on import but to refuse old versions of Node', async () => {
    expect(await keptOf('src/crypto/node')).toMatch(
      /^var \w+=\w+\.hash\?\?(\w+)\(\);function \1\(\)\{[^}]+\}`\)\}$/,
    )
  })

  // The checks, the claim and the options share their file, so code that runs on import cannot be dropped.
  it.each([
    ['eventKeyText', '.', 0.07 * KB],
    ['redisStore', './stores/redis', 2.65 * KB],
    ['memoryStore', './stores/memory', 2.95 * KB],
    ['d1Store', './stores/d1', 2.5 * KB],
    ['durableObjectStore', './stores/durable-object', 2.6 * KB],
    ['jobId, toEnvelope, fromEnvelope', './handoff', 1.01 * KB],
  ])('%s brings nothing of the core but errors, options and keys', async (name, subpath, most) => {
    const { text, bytesOf } = await bundle(`export { ${name} } from '${specifierOf(subpath)}'`)
    for (const one of name.split(', ')) expect(text).toContain(one)
    expect(bytesOf('/dist/src/core.js') + bytesOf('/dist/src/shared.js')).toBeLessThanOrEqual(most)
  })
})

describe('a process that imports hookgate', () => {
  it('a process that imports hookgate reads four files of it', async () => {
    const node = { platform: 'node', conditions: ['node'] } as const
    const { files } = await bundle(`export * from 'hookgate'`, node)
    const own = files.flatMap((path) => /\/hookgate\/(.*)$/.exec(path)?.[1] ?? [])
    expect(own.toSorted()).toEqual(
      ['core', 'crypto/node', 'index', 'shared'].map((name) => `dist/src/${name}.js`),
    )
  })
})
