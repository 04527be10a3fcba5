import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesIn } from './files-in.ts'
import { FRAMEWORKS } from './own-frameworks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const manifest: {
  readonly exports: { readonly [subpath: string]: string | null }
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const webConfig = readFileSync(join(root, 'src/tsconfig.json'), 'utf8')

interface Source {
  readonly path: string
  readonly text: string
  /**
   * Import specifiers. Paths start at the root. Imports of types count too, because they show which file knows which.
   */
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[]
}

function sourcesOf(folder: string): Source[] {
  return filesIn(folder, '.ts').map(readSource)
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, imports: importsIn(text, path) }
}

/** Without the imports of examples in docstrings. */
function importsIn(text: string, path: string): Source['imports'] {
  const statements = withoutComments(text).matchAll(
    /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm,
  )
  return [...statements].map(([, type, from, bare, lazy]) => {
    const target = from ?? bare ?? lazy ?? ''
    return {
      target: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
      typeOnly: Boolean(type),
    }
  })
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
}

const src = sourcesOf('src')
const stores = src.filter(({ path }) => path.startsWith('src/stores/'))
const adapters = sourcesOf('adapters')
const sender = src.filter(({ path }) => path.startsWith('src/sender/'))
const stop = src.filter(({ path }) => path.startsWith('src/stop/'))
const cli = sourcesOf('cli')
const service = sourcesOf('service/src')

/** The sources of the exported adapters. `src/tsconfig.json` lists those that run without Node. */
const exported: readonly string[] = Object.values(manifest.exports).flatMap((target) =>
  target === null ? [] : [target.replace('./dist/', '').replace(/\.js$/, '.ts')],
)
const adapterPaths = exported.filter((path) => path.startsWith('adapters/'))
const webAdapters = adapterPaths.filter((path) => webConfig.includes(`"../${path}"`))
const everything = [...src, ...adapters, ...cli, ...service]

/** The circles of imports, types included. Each circle is one sorted text. */
function circles(sources: readonly Source[]): string[] {
  const known = new Map(sources.map((source) => [source.path, source.imports.map(({ target }) => target)]))
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const target of known.get(from) ?? []) if (!seen.has(target)) reach(target, seen.add(target))
    return seen
  }
  const reached = new Map([...known.keys()].map((path) => [path, reach(path)]))
  const inCircle = (a: string, b: string) => reached.get(a)?.has(b) && reached.get(b)?.has(a)
  const paths = [...known.keys()].filter((path) => inCircle(path, path))
  const groups = paths.map((path) => paths.filter((other) => inCircle(path, other)).toSorted())
  return [...new Set(groups.map((group) => group.join(' ')))]
}

/** Each forbidden import as `path -> target`. */
function strays(
  sources: readonly Source[],
  allowed: (target: string, source: Source, typeOnly: boolean) => boolean,
) {
  return sources.flatMap((source) =>
    source.imports
      .filter(({ target, typeOnly }) => !allowed(target, source, typeOnly))
      .map(({ target }) => `${source.path} -> ${target}`),
  )
}

const inside = (folder: string) => (target: string) => target.startsWith(`${folder}/`)
const isFile = (target: string) => target.endsWith('.ts')

const inKit = inside('adapters/kit')

/** What is not a subpath of its own: the checks and what they stand on. */
const CORE_FOLDERS = ['checks', 'auth', 'crypto', 'lib']
const isCore = (path: string) =>
  /^src\/[^/]+\.ts$/.test(path) || CORE_FOLDERS.some((folder) => inside(`src/${folder}`)(path))

/** Questions of one line about promises, which any adapter can write itself: no public names. */
const PROMISES = 'src/lib/maybe-promise.ts'

describe('imports run one way', () => {
  it('the test reads the imports that it judges', () => {
    expect(strays(src, () => false)).toContain('src/index.ts -> src/verify.ts')
    expect(strays(adapters, () => false)).toContain('adapters/hono.ts -> src/index.ts')
    expect(strays([...cli, ...sender], () => false)).toContain('src/sender/index.ts -> src/sender/deliver.ts')
  })

  it('no files import each other in a circle, not even for types', () => {
    expect(circles([...src, ...adapters, ...cli])).toEqual([])
    const source = (path: string, ...targets: string[]): Source => ({
      path,
      text: '',
      imports: targets.map((target) => ({ target, typeOnly: true })),
    })
    const three = [source('a.ts', 'b.ts'), source('b.ts', 'c.ts'), source('c.ts', 'b.ts', 'd.ts')]
    expect(circles(three)).toEqual(['b.ts c.ts'])
  })

  it('imports in a docstring’s example do not count', () => {
    const text = "export type { A }\n\n/**\n * import fs from 'node:fs'\n */\nimport './b.ts'\n"
    expect(importsIn(text, 'src/a.ts')).toEqual([{ target: 'src/b.ts', typeOnly: false }])
  })

  it('src imports only src', () => {
    expect(strays(src, (target) => !isFile(target) || inside('src')(target))).toEqual([])
  })

  it("a store's engine imports src, its own folder and what all engines share, but no other engine", () => {
    const shared = ['contract', 'answer', 'fixes', 'kinds', 'orms'].map((name) => `src/stores/${name}.ts`)
    const allowed = (target: string, { path }: Source) =>
      !isFile(target) || isCore(target) || shared.includes(target) || dirname(target) === dirname(path)
    expect(strays(stores, allowed)).toEqual([])
    expect(strays(stores, () => false)).toContain('src/stores/redis/store.ts -> src/stores/redis/client.ts')
  })

  it('an adapter imports hookgate, the kit, and a folder of its own', () => {
    const frameworks = adapters.filter(({ path }) => !inKit(path))
    const allowed = (target: string, { path }: Source) => {
      const own = /^adapters\/[a-z]+/.exec(path)?.[0] ?? ''
      return (
        !isFile(target) || ['src/index.ts', PROMISES].includes(target) || inKit(target) || inside(own)(target)
      )
    }
    expect(frameworks.length).toBeGreaterThan(4)
    expect(strays(frameworks, allowed)).toEqual([])
    expect(strays(frameworks, (target) => !isFile(target))).toContain(
      'adapters/hono.ts -> adapters/kit/receiver.ts',
    )
  })

  it('the kit of the adapters imports src and itself, never a store or an adapter', () => {
    const kit = adapters.filter(({ path }) => inKit(path))
    expect(strays(kit, (target) => !isFile(target) || inside('src')(target) || inKit(target))).toEqual([])
  })

  it('the core imports nothing of a subpath, not even a type', () => {
    const core = src.filter(({ path }) => isCore(path))
    expect(strays(core, (target) => !isFile(target) || isCore(target))).toEqual([])
    expect(isCore('src/verify.ts')).toBe(true)
    expect(isCore('src/checks/body-size.ts')).toBe(true)
    expect(isCore('src/schemes/stripe.ts')).toBe(false)
    expect(isCore('src/schemes/kit/keys.ts')).toBe(false)
  })

  it('only the command line may import the sender, and what stops a server', () => {
    const others = src.filter((source) => !sender.includes(source))
    expect(strays([...others, ...adapters], (target) => !inside('src/sender')(target))).toEqual([])
    const running = src.filter((source) => !stop.includes(source))
    expect(strays([...running, ...adapters], (target) => !inside('src/stop')(target))).toEqual([])
    expect(strays(cli, (target) => !inside('src/sender')(target))).not.toEqual([])
  })

  it('test support imports no test', () => {
    const support = sourcesOf('test/support')
    const isOfTests = (target: string) => /^test\/(?!support\/|suites\/runtimes\/|oracle\/)/.test(target)
    expect(strays(support, (target) => !isOfTests(target))).toEqual([])
  })

  it('nothing published for servers imports the command line or the tests', () => {
    expect(
      strays([...src, ...adapters], (target) => !inside('cli')(target) && !inside('test')(target)),
    ).toEqual([])
  })

  it('the service imports the package by its name, like any user', () => {
    expect(strays(service, (target) => !isFile(target) || inside('service/src')(target))).toEqual([])
    expect(strays([...src, ...adapters, ...cli], (target) => !inside('service')(target))).toEqual([])
  })

  it('checks import what they judge and lib, but not one another', () => {
    const checks = src.filter(({ path }) => path.startsWith('src/checks/'))
    expect(strays(checks, (target) => !inside('src/checks')(target))).toEqual([])
  })

  it('lib imports only lib, the errors and the limits', () => {
    const lib = src.filter(({ path }) => path.startsWith('src/lib/'))
    const own = ['src/errors.ts', 'src/limits.ts']
    expect(
      strays(lib, (target) => !isFile(target) || inside('src/lib')(target) || own.includes(target)),
    ).toEqual([])
  })
})

describe('the rule for members of foreign values', () => {
  it('memberOf reads it, because `Object(value).member` is `any`, and throws where a getter does', () => {
    const isRead = ({ text }: Source) =>
      /\bObject\((?:[^()]|\((?:[^()]|\([^()]*\))*\))+\)\??\.\w/.test(withoutComments(text))
    const readers = [...src, ...adapters, ...cli].filter(isRead)
    expect(readers.map(({ path }) => path)).toEqual([])
  })
})

describe('the platform rule', () => {
  it('only src/crypto/node*.ts import from Node, in src and everything that the web adapters reach', () => {
    expect(webAdapters).toContain('adapters/hono.ts')
    const reachable = [
      ...src.filter((source) => ![...sender, ...stop].includes(source)),
      ...adapters.filter(({ path }) => !adapterPaths.includes(path) || webAdapters.includes(path)),
    ]
    const allowed = (target: string, { path }: Source) =>
      !target.startsWith('node:') || /^src\/crypto\/node[\w-]*\.ts$/.test(path)
    expect(strays(reachable, allowed)).toEqual([])
    expect(strays(src, (target) => !target.startsWith('node:'))).toContain(
      'src/crypto/node.ts -> node:crypto',
    )
  })

  it('each third-party package is imported only in its own folders', () => {
    const places: { readonly [name: string]: readonly string[] } = {
      'fastify-plugin': ['adapters'],
      '@opentelemetry/api': ['src/otel'],
      jose: ['src/auth', 'src/signing'],
      'jose/key/import': ['src/auth'],
      'lru-cache': ['src', 'src/stores'],
    }
    const isItsAdapter = (framework: string, path: string) =>
      FRAMEWORKS.includes(framework) &&
      (path === `adapters/${framework}.ts` || inside(`adapters/${framework}`)(path))
    const known = (target: string, { path }: Source) =>
      isFile(target) ||
      isItsAdapter(target, path) ||
      target.startsWith('node:') ||
      target === '#crypto' ||
      places[target]?.includes(dirname(path)) === true
    expect(
      strays([...src, ...adapters], known),
      'a client or a framework is an argument; the folders of a dependency are listed in this test',
    ).toEqual([])
  })

  it('frameworks are imported only for their types, so that none must be installed', () => {
    expect(FRAMEWORKS).toContain('express')
    expect(strays(adapters, (target, _, typeOnly) => !FRAMEWORKS.includes(target) || typeOnly)).toEqual([])
  })

  it('the entry point does not reach jose, an adapter or a store', () => {
    const reached = new Set<string>()
    const visit = (path: string) => {
      if (reached.has(path)) return
      reached.add(path)
      for (const { target, typeOnly } of everything.find((source) => source.path === path)?.imports ?? []) {
        if (!typeOnly) visit(target)
      }
    }
    visit('src/index.ts')
    expect([...reached].filter((target) => !isFile(target))).toEqual(['#crypto'])
  })
})

it('no file has a name that says nothing', () => {
  expect(
    everything.map(({ path }) => path).filter((path) => /utils|helper|manager|common|misc/.test(path)),
  ).toEqual([])
})

it('the bytes of strangers are given only to what hashes them, or reads a bounded part of them', () => {
  const readers = src.filter(
    ({ path, text }) =>
      path !== 'src/lib/unread.ts' &&
      /\b(?:bytesToHash|sourceOf|wholeOf|sliceOf)\(/.test(withoutComments(text)),
  )
  expect(readers.map(({ path }) => path).toSorted()).toStrictEqual([
    'src/auth/jws.ts', // a header and a signature
    'src/crypto/node.ts',
    'src/crypto/web.ts',
    'src/crypto/written.ts',
    'src/schemes/kit/escaped-json.ts', // writes what is hashed
    'src/schemes/kit/signed-url.ts', // the first kilobyte
    'src/schemes/kit/sns-message.ts', // at most 384 KB
    'src/signing/sign-as.ts', // your own
  ])
})
