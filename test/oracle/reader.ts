import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineListener } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Verification } from '../../src/verification.ts'
import { check } from '../../src/verify.ts'
import { schemeFactory } from '../support/schemes.ts'
import { remoteOptions, type VectorFetches } from '../support/vector-fetch.ts'
import { findPython } from './oracle.ts'

/** A request to the listener of a scheme. */
export interface Asked {
  readonly scheme: string
  readonly options: SchemeOptions
  readonly now: number
  readonly method: string
  readonly url?: string | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly fetches?: VectorFetches | undefined
}

/** What becomes of a request. Keys are null if the claim needs code. `unusable`: the reader takes no such row or option. */
export interface Verdict {
  readonly reason?: string
  readonly id?: string
  readonly type?: string
  readonly sentAt?: number
  readonly keys?: readonly string[] | null
  readonly reply?: { readonly status: number; readonly headers: object; readonly body: string }
  readonly unusable?: string
}

const PYTHON = findPython() ?? 'no Python with the package cryptography'
const PROGRAM = fileURLToPath(new URL('read_cases.py', import.meta.url))
export const FILE = fileURLToPath(new URL('../../docs/schemes/schemes.json', import.meta.url))

/** The rows of the published file. */
export const rows: readonly {
  readonly name: string
  readonly code: boolean
  readonly signs?: string
  readonly dedupe: string
  readonly algorithm: string
  readonly claimedId?: unknown
  readonly handshake?: { readonly code?: string; readonly answers?: readonly unknown[] }
}[] = JSON.parse(readFileSync(FILE, 'utf8')).schemes

/** The verdicts of languages/python/hookgate.py, which knows one file: one process for all requests. */
export function askReader(requests: readonly Asked[], file = FILE): readonly Verdict[] {
  const lines = requests.map(
    ({ body, fetches: _, ...rest }) => `${JSON.stringify({ ...rest, body: body.toString('base64') })}\n`,
  )
  const options = { input: lines.join(''), encoding: 'utf8', maxBuffer: 256 * 1_048_576 } as const
  const { stdout, stderr, error } = spawnSync(PYTHON, ['-I', '-B', PROGRAM, file], options)
  if (error || stderr !== '') throw new Error(stderr || `${error}`)
  return stdout
    .trimEnd()
    .split('\n')
    .map((answer) => JSON.parse(answer))
}

export const READER = new URL('../../languages/python/hookgate.py', import.meta.url)

/** Why a text is no program of Python 3.9. Empty if all are. */
export function pythonProblem(programs: readonly unknown[]): string {
  const parse =
    'import ast, json, sys; [ast.parse(each, feature_version=(3, 9)) for each in json.load(sys.stdin)]'
  return spawnSync(PYTHON, ['-I', '-c', parse], { input: JSON.stringify(programs), encoding: 'utf8' }).stderr
}

/** The URLs that recipes for frameworks give the reader, of a request for a path with an encoded question mark, and a query. */
export function urlsFrom(recipes: readonly unknown[]): readonly string[] {
  const program = fileURLToPath(new URL('run_recipes.py', import.meta.url))
  const { stdout, stderr } = spawnSync(PYTHON, ['-I', '-B', program], {
    input: JSON.stringify(recipes),
    encoding: 'utf8',
  })
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const listeners = new Map<string, Promise<ReturnType<typeof makeListener>>>()

function makeListener(
  id: string,
  factory: Awaited<ReturnType<typeof schemeFactory>>,
  { now, options, fetches }: Asked,
) {
  const clock = { now: () => now * 1000 }
  return defineListener({
    id,
    auth: factory({ ...options, ...(fetches && remoteOptions(id, fetches)) }),
    store: memoryStore({ clock, maxRecords: 10 }),
    clock,
  })
}

/** The verdict of TypeScript: all checks, and no claim. */
export async function askHookgate(asked: Asked): Promise<Verdict> {
  const { scheme, options, now, method, url, headers, body } = asked
  const id = JSON.stringify([scheme, options, now])
  const listener =
    listeners.get(id) ?? schemeFactory(scheme).then((factory) => makeListener(scheme, factory, asked))
  listeners.set(id, listener)
  const header = (name: string) => {
    const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
    return values.length > 1 ? values : values[0]
  }
  const verification = new Verification({ method, url, header, body, sourceIp: undefined }, await listener)
  const stop = await check(verification)
  if (stop?.handshake) return { reply: stop.reply }
  if (stop) return { reason: stop.reason }
  const { eventId, eventTypeText = '', sentAt, claimKeys } = verification
  return { id: eventId, type: eventTypeText, sentAt, keys: claimKeys }
}
