import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { SECRET } from '../support/subject.ts'
import { ServiceProcess } from './service-process.ts'

// The Dockerfile is read and imitated, not built, because that takes Docker and its registry.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const dockerfile = readFileSync(join(root, 'service/Dockerfile'), 'utf8')
const [, build = '', final = ''] = dockerfile.split(/^FROM /m)

/** Each at its original path. */
const copied = [...final.matchAll(/^COPY --from=build \/app\/(\S+) \1$/gm)].map(([, path = '']) => path)

describe('the Dockerfile', () => {
  it('the Dockerfile passes the linter', () => {
    const problems = validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)
    expect(problems).toEqual([])
  })

  it('the Dockerfile has a final stage that is not root, copies only from the first, and listens on its port', () => {
    expect(dockerfile.match(/^FROM node:22-slim\b/gm)).toHaveLength(2)
    expect(final.match(/^(COPY|ADD) /gm)).toHaveLength(copied.length)
    expect(final).toMatch(/^USER node$/m)
    expect(final).toMatch(/SERVICE_HOST=0\.0\.0\.0/)
    expect(final).toMatch(/^EXPOSE 8788$/m)
  })

  it('the Dockerfile runs only existing scripts and copies each workspace’s package.json', () => {
    const manifestOf = (folder: string) =>
      JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    for (const [, script = '', folder = '.'] of build.matchAll(/npm run (\S+)(?: -w (\S+))?/g))
      expect(manifestOf(folder).scripts).toHaveProperty([script])
    const { workspaces } = manifestOf('.')
    for (const folder of workspaces) expect(build).toContain(`COPY ${folder}/package.json ${folder}/\n`)
  })

  it.skipIf(WHY_NO_POSTGRES)(
    onPostgres('the Dockerfile copies all that the service needs, which then writes to none of it'),
    async () => {
      const image = imitated()
      onTestFinished(() => rmSync(image, { recursive: true }))
      const files = () => [
        ...readdirSync(image),
        ...['dist', 'service'].flatMap((path) =>
          readdirSync(join(image, path), { recursive: true, encoding: 'utf8' }),
        ),
      ]
      const before = files()
      const main = join(image, JSON.parse(/^CMD (.*)$/m.exec(final)?.[1] ?? '')[1])
      const url = urlOf(await copyOfPostgres(inject('postgresFolder')))
      const settings = { SERVICE_DATABASE_URL: url, SERVICE_SECRET: SECRET, SERVICE_DATA: '/nowhere' }
      const service = new ServiceProcess(settings, main)
      onTestFinished(() => service.kill())
      await service.start()
      for (const path of ['/healthz', '/readyz', '/docs', '/docs/swagger-ui.css', '/openapi.json']) {
        expect([path, (await fetch(`${service.origin}${path}`)).status]).toEqual([path, 200])
      }
      await service.ask('POST', '/api/v1/search/tasks', {})
      expect(files()).toEqual(before)
    },
    60_000,
  )
})

/** A folder with the content of the image. Dependencies are links, except `hookgate`, which the image contains. */
function imitated(): string {
  const image = mkdtempSync(join(tmpdir(), 'hookgate-image-'))
  for (const path of copied.filter((path) => path !== 'node_modules')) {
    cpSync(join(root, path), join(image, path), { recursive: true })
  }
  mkdirSync(join(image, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== 'hookgate')) {
    symlinkSync(join(root, 'node_modules', name), join(image, 'node_modules', name))
  }
  symlinkSync('..', join(image, 'node_modules/hookgate'))
  return image
}
