import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { factoryName } from '../support/schemes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest: {
  readonly exports: { readonly [subpath: string]: string | null }
  readonly typesVersions: { readonly '*': { readonly [subpath: string]: readonly string[] } }
  readonly dependencies: { readonly [name: string]: string }
  readonly scripts: { readonly [name: string]: string }
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The exports of each subpath of the built package, imported by the package's own name. */
async function exportedNames(): Promise<unknown> {
  const subpaths = Object.keys(manifest.exports).filter((subpath) => !/\.json$|\*$/.test(subpath))
  const script = `
    const names = {}
    for (const subpath of ${JSON.stringify(subpaths)}) {
      names[subpath] = Object.keys(await import('hookgate' + subpath.slice(1))).sort()
    }
    console.log(JSON.stringify(names))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
  })
  return JSON.parse(stdout)
}

const modules = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  target?.endsWith('.js') ? [[subpath, target] as const] : [],
)

describe('the public surface', () => {
  it('the public surface is built', () => {
    const targets = modules.map(([, target]) => target).filter((target) => !target.includes('*'))
    expect(
      targets.filter((target) => !existsSync(root + target)),
      'run `npm run build`',
    ).toEqual([])
  })

  it('the public surface has the same subpaths for older settings of TypeScript, which read typesVersions', () => {
    const types = Object.entries(manifest.exports)
      .filter(([subpath]) => subpath !== '.' && subpath !== './package.json')
      .map(([subpath, target]) => [
        subpath.slice(2),
        target === null ? [] : [target.replace(/\.js$/, '.d.ts')],
      ])
    expect(manifest.typesVersions['*'], 'repeat the subpaths of exports in package.json').toEqual(
      Object.fromEntries(types),
    )
  })

  it('the public surface is exactly these names: adding one is a decision, removing one is a major version', async () => {
    expect(await exportedNames(), 'list the subpath and its names in test/repo/exports.test.ts').toEqual({
      '.': [
        'EventStoreError',
        'KeySetError',
        'LeaseLostError',
        'ListenerConfigError',
        'ListenerLoadError',
        'defineListener',
        'eventKeyText',
        'generateSecret',
        'hmac',
        'inTransaction',
        'replyTo',
        'route',
        'verify',
      ],
      './adapter': [
        'asError',
        'behindProxies',
        'commitBefore',
        'createReceiver',
        'fromNode',
        'fromWeb',
        'sendReply',
        'settleAfter',
        'settleBefore',
        'toResponse',
        'webhookOf',
        'withBody',
      ],
      './explain': ['explain', 'explainLine'],
      './express': ['observeWebhook', 'verifyWebhook', 'webhookOf'],
      './handoff': ['fromEnvelope', 'jobId', 'jobUuid', 'toEnvelope'],
      './inbox': ['inbox'],
      './management': ['ManagementError', 'inspect', 'recover', 'renew'],
      './management/google-channels': ['googleCalendarApi', 'googleDriveChangesApi', 'googleDriveFileApi'],
      './management/graph': ['graphApi'],
      './management/github': ['githubAppApi', 'githubOrganizationApi', 'githubRepositoryApi'],
      './management/adyen': ['adyenApi'],
      './management/gitlab': ['gitlabGroupApi', 'gitlabProjectApi'],
      './management/jira': ['jiraAdminApi', 'jiraApi'],
      './management/linear': ['linearApi'],
      './management/paddle': ['paddleApi'],
      './management/resend': ['resendApi'],
      './management/sendgrid': ['sendgridApi'],
      './management/shopify': ['shopifyApi'],
      './management/square': ['squareApi'],
      './management/stripe': ['stripeApi'],
      './management/svix': ['svixApi'],
      './fastify': ['observeWebhook', 'verifyWebhook', 'webhookOf'],
      './hono': ['observeWebhook', 'verifyWebhook'],
      './schemes': ['bytesToHash', 'defineScheme', 'senderAuthenticator'],
      './listeners': ['listeners'],
      './jwt': ['jwt', 'localKeySet', 'remoteKeySet'],
      './otel': ['instrument'],
      './sender': [
        'deliver',
        'isPublicAddress',
        'judge',
        'jwks',
        'nextDelay',
        'publicConnector',
        'publicOnly',
      ],
      './stop': ['onStop'],
      './stores/d1': ['d1Store', 'sqliteSchema'],
      './stores/durable-object': ['EventStoreObject', 'durableObjectStore'],
      './stores/dynamodb': ['dynamodbStore'],
      './stores/local-cache': ['withLocalCache'],
      './stores/memory': ['memoryStore'],
      './stores/mysql': ['mysqlSchema', 'mysqlStore'],
      './stores/postgres': ['entityVersions', 'entityVersionsSchema', 'postgresSchema', 'postgresStore'],
      './stores/redis': ['redisStore'],
      './stores/sqlite': ['sqliteSchema', 'sqliteStore'],
      './testing': ['eventStoreSuite', 'mutations', 'signAs', 'signHmac', 'signJwt', 'toDelivery'],
      './web': ['observeWebhook', 'webhookHandler'],
    })
  })

  it('the public surface of each scheme is one function, named like its file and its row', async () => {
    const files = readdirSync(`${root}src/schemes`).filter((file) => file.endsWith('.ts'))
    expect(files).toContain('stripe.ts')
    for (const file of files) {
      const name = file.replace('.ts', '')
      const factory = factoryName(name)
      const module = await import(`../../src/schemes/${name}.ts`)
      expect(Object.keys(module)).toEqual([factory])
      expect(module[factory].scheme.name).toBe(name)
    }
  })

  it('the kit of the schemes cannot be imported', async () => {
    const inner: string = 'hookgate/schemes/kit/keys'
    await expect(import(inner)).rejects.toThrow(/ERR_PACKAGE_PATH_NOT_EXPORTED|not exported|schemes\/kit/)
  })

  it('the package has three runtime dependencies, each behind its own subpath, and no install script', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['fastify-plugin', 'jose', 'lru-cache'])
    expect(Object.keys(manifest.scripts).filter((name) => /install|prepare$/.test(name))).toEqual([])
  })
})
