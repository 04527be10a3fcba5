import { readdirSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { builtFiles, firstLoadBytes, ROOT, readBuilt, tagsOf } from './site-files.ts'

const KB = 1024

describe('the site', () => {
  it('the site builds offline, within 60 s of CPU time', () => {
    // build-site.ts fails the run if the build opens a connection.
    expect(inject('buildSeconds')).toBeGreaterThan(1)
    expect(inject('buildSeconds')).toBeLessThanOrEqual(60)
  })

  it('the site has a first page of at most 120 KB, compressed', () => {
    expect(firstLoadBytes('/index.html')).toBeGreaterThan(20 * KB)
    expect(firstLoadBytes('/index.html')).toBeLessThanOrEqual(120 * KB)
  })

  it('the site has every page of docs/ once in its sidebar', () => {
    const names = ['', 'frameworks/'].flatMap((folder) =>
      readdirSync(`${ROOT}docs/${folder}`)
        .filter((name) => name.endsWith('.md'))
        .map((name) => folder + name),
    )
    const listed = tagsOf(readBuilt('/schemes.html'))
      .filter(({ attributes }) => attributes.get('class')?.includes('VPLink link link'))
      .map(({ attributes }) => attributes.get('href'))
    for (const name of names) {
      const page = `/${name.replace('.md', '.html')}`
      expect(
        listed.filter((href) => href === page),
        page,
      ).toHaveLength(1)
    }
  })

  it('the site has a page of the reference for each subpath', () => {
    expect(builtFiles('.html')).toEqual(
      expect.arrayContaining([
        '/api/hookgate.html',
        '/api/hookgate/web.html',
        '/api/hookgate/schemes/stripe.html',
      ]),
    )
  })
})

/** What a browser loads by itself, not when a reader follows a link. */
const LOADS = new Set([
  'script src',
  'link href',
  'img src',
  'iframe src',
  'source src',
  'source srcset',
  'object data',
])

function loadsOf(path: string): string[] {
  const text = readBuilt(path)
  if (path.endsWith('.html')) {
    return tagsOf(text).flatMap(({ tag, attributes }) =>
      [...attributes].filter(([name]) => LOADS.has(`${tag} ${name}`)).map(([, value]) => value),
    )
  }
  const calls = path.endsWith('.css')
    ? /@import\s*(?:url\()?["']?([^"')]+)|url\(\s*["']?([^"')]+)/g
    : /(?:\bfetch|\bimport|importScripts|new (?:Worker|EventSource|WebSocket|URL))\(\s*["'`]([^"'`]+)|\bfrom\s*["']([^"']+)/g
  return [...text.matchAll(calls)].map(([, first, second]) => first ?? second ?? '')
}

const isForeign = (target: string) => /^(?:[a-z]+:)?\/\//.test(target)

describe('nothing is loaded from another host', () => {
  it.each(['.html', '.css', '.js'])('no %s file loads anything', (ending) => {
    const files = builtFiles(ending)
    expect(files.flatMap(loadsOf).length).toBeGreaterThan(2)
    const foreign = files.flatMap((file) =>
      loadsOf(file)
        .filter(isForeign)
        .map((target) => `${file}: ${target}`),
    )
    expect(foreign).toEqual([])
  })
})
