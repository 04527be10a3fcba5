import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Case, deliveryOf, files, type VectorFile } from '../support/vectors.ts'
import { findPython } from './oracle.ts'

const PROGRAM = fileURLToPath(new URL('from_schemes_json.py', import.meta.url))
const FILE = fileURLToPath(new URL('../../docs/schemes/schemes.json', import.meta.url))
const { schemes }: { readonly schemes: readonly { readonly name: string; readonly code: boolean }[] } =
  JSON.parse(readFileSync(FILE, 'utf8'))
const asData = schemes.filter(({ code }) => !code).map(({ name }) => name)

/** What the file must be enough to decide. A reason such as a wrong content type says nothing about the signature. */
const DECIDED = /^(?:auth_missing|signature_mismatch|timestamp_malformed|timestamp_out_of_range)$/

function lineOf({ scheme, options, now }: VectorFile, given: Case): object {
  const { method, url = '', body } = deliveryOf(given)
  const query = /\?.*$/s.exec(url)?.[0] ?? ''
  const delivery = { method, headers: given.headers, body: Buffer.from(body).toString('base64'), query }
  return { scheme, now, options: { ...options, ...given.options }, delivery }
}

const decided = files
  .filter(({ scheme }) => asData.includes(scheme))
  .map((file) => ({
    ...file,
    cases: file.cases.filter(({ expect: { ok, reason } }) => ok || DECIDED.test(`${reason}`)),
  }))

/** The answers of the program to all cases, in their order. */
function ask(): readonly { readonly verified: boolean; readonly why?: string }[] {
  const lines = decided.flatMap((file) =>
    file.cases.map((given) => `${JSON.stringify(lineOf(file, given))}\n`),
  )
  const python = findPython() ?? 'no Python with the package cryptography'
  const options = { input: lines.join(''), encoding: 'utf8', maxBuffer: 64 * 1_048_576 } as const
  const { stdout, stderr, error } = spawnSync(python, ['-I', '-B', PROGRAM, FILE], options)
  if (error || stderr !== '') throw new Error(`${error ?? stderr}`)
  return stdout
    .trimEnd()
    .split('\n')
    .map((answer) => JSON.parse(answer))
}

describe('docs/schemes/schemes.json', () => {
  const answers = ask().values()
  const judged = decided.map(({ scheme, cases }) => ({
    scheme,
    cases: cases.map(({ name, expect: { ok, reason } }) => ({ name, ok, reason, ...answers.next().value })),
  }))

  it('the file says of more than 50 senders all that a program in another language needs', () => {
    expect(judged.map(({ scheme }) => scheme).toSorted()).toEqual(asData.toSorted())
    expect(asData.length).toBeGreaterThan(50)
  })

  it.each(judged)(
    'a program that reads nothing else decides the vectors of $scheme as hookgate does',
    ({ cases }) => {
      expect(cases.filter(({ ok, verified }) => verified !== ok)).toEqual([])
      expect(new Set(cases.map(({ ok }) => ok))).toEqual(new Set([true, false]))
    },
  )
})
