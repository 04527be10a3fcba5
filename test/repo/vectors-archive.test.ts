import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, it } from 'vitest'
import { SCHEME_NAMES } from '../support/schemes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'hookgate-vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

interface Vectors {
  readonly scheme: string
  readonly cases: readonly { readonly expect: { readonly ok: boolean }; readonly verdict: unknown }[]
}

describe('the vectors of a release', () => {
  execFileSync(process.execPath, [join(root, 'tools/vectors-archive.mjs'), folder])
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
  execFileSync('tar', ['-C', folder, '-xzf', join(folder, archive)])
  const unpacked = join(folder, archive.replace('.tar.gz', ''))
  const vectorFiles = readdirSync(join(unpacked, 'vectors')).filter((name) => name !== 'handshakes.json')
  const all: readonly Vectors[] = vectorFiles.map((name) =>
    JSON.parse(readFileSync(join(unpacked, 'vectors', name), 'utf8')),
  )

  it('the archive and all of its files have checksums, and the same input gives the same archive', () => {
    const again = mkdtempSync(join(folder, 'again-'))
    execFileSync(process.execPath, [join(root, 'tools/vectors-archive.mjs'), again])
    expect(sumOf(join(again, archive))).toBe(sumOf(join(folder, archive)))
    expect(linesOf(join(folder, `${archive}.sha256`))).toEqual([
      `${sumOf(join(folder, archive))}  ${archive}`,
    ])
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    const sums = linesOf(join(unpacked, 'SHA256SUMS'))
    expect(sums).toHaveLength(files.length - 1)
    for (const line of sums) {
      const [sum = '', name = ''] = line.split('  ')
      expect(sumOf(join(unpacked, name)), name).toBe(sum)
    }
  })

  it('each scheme has a file, which fits the schema and marks its secrets as test keys', () => {
    expect(all.map(({ scheme }) => scheme).sort()).toEqual(SCHEME_NAMES.toSorted())
    const schema = JSON.parse(readFileSync(join(unpacked, 'vectors.schema.json'), 'utf8'))
    const validate = new Ajv2020({ strictTypes: false }).compile(schema)
    for (const file of all) expect(validate(file) ? [] : validate.errors, file.scheme).toEqual([])
  })

  it('each refused vector has a reason, and each accepted one its claim keys', () => {
    for (const { scheme, cases } of all) {
      const wrong = cases.filter(({ expect: { ok }, verdict }) => ok !== Array.isArray(verdict))
      expect(wrong, scheme).toEqual([])
    }
  })

  it('no vector is in the npm package', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(files.filter((name: string) => /test|vectors|languages/.test(name))).toEqual([])
  })
})
