import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { compileSnippets, type Snippet } from '../support/compile-snippets.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = pagesWithCode()

function pagesWithCode(): string[] {
  const folders = ['docs', 'docs/frameworks', 'docs/migrate', 'docs/stores']
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
  return paths.filter((path) => path.endsWith('.md')).filter((page) => fencesIn(page).length > 0)
}

/** Names that readers have and the pages do not declare again. */
const TAKEN_FOR_GRANTED = `
import type { Redis } from 'ioredis'
import type { PoolClient } from 'pg'
import type { EventStore } from 'hookgate'
declare global {
  const client: Redis
  const tx: PoolClient
  const listenerId: string
  const id: string
  function openYourStore(): Promise<EventStore>
  function closeIt(): Promise<void>
  function makeOlder(milliseconds: number): Promise<void>
}
`

/** A Worker's bindings, by the names in its configuration. */
const WORKER = `
declare module 'cloudflare:workers' {
  export const env: {
    readonly EVENTS: import('@cloudflare/workers-types').DurableObjectNamespace
    readonly DB: import('@cloudflare/workers-types').D1Database
    readonly WEBHOOK_SECRET: string
    readonly STRIPE_WEBHOOK_SECRET: string
  }
}
`

/** The TypeScript blocks of a page, by the location of their first line, e.g. `README.md:59`. */
function fencesIn(page: string): Snippet[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => ({
    where: `${page}:${text.slice(0, index).split('\n').length}`,
    code,
  }))
}

it('every TypeScript example of docs compiles as strictly as this package', {
  timeout: 120_000,
}, async () => {
  const fences = PAGES.flatMap(fencesIn)
  expect(fences.map(({ where }) => where)).toContainEqual(
    expect.stringMatching(/^docs\/frameworks\/hono\.md:/),
  )
  const declarations = { 'granted.d.ts': TAKEN_FOR_GRANTED, 'worker.d.ts': WORKER }
  expect(await compileSnippets(fences, declarations)).toBe('')
})
