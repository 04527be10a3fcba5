import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { JWT_ALGORITHMS, type JwtAlgorithm } from '../../src/crypto/algorithms.ts'
import { MAX_KEY_ID_LENGTH } from '../../src/limits.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT, RefusedError, UsageError } from '../command-line/exit.ts'
import { HOOKGATE } from '../command-line/invocation.ts'
import { print } from '../command-line/output.ts'
import { shellQuote } from '../command-line/shell.ts'
import { OWNER_ONLY } from '../command-line/values.ts'
import { DEFAULT_ID, DEFAULT_PORT } from '../listen/options.ts'
import { pathOf } from '../signing/endpoint.ts'
import { JWKS_FILE, PRIVATE_KEY_FILE } from '../signing/key-files.ts'
import { newPrivateKey } from '../signing/private-key.ts'

export const keys: Command = defineCommand({
  name: 'keys',
  summary: 'make a key pair for the JWT method, and the JWKS that publishes it',
  options: {
    alg: { value: 'ALG', says: `${JWT_ALGORITHMS.join(', ')} (default: EdDSA)` },
    kid: { value: 'ID', says: 'The key ID (default: the RFC 7638 thumbprint)' },
    out: { value: 'DIR', says: 'The directory to write to (default: the current one)' },
    force: { says: 'Replace existing files' },
  },
  notes: [
    `Writes ${PRIVATE_KEY_FILE}, which only you may read, and ${JWKS_FILE}, which is public.`,
    'Use these keys for tests. In production, keep the private key in a key store.',
  ],
  examples: ['hookgate keys', 'hookgate keys --alg ES256 --kid 2026-01 --out keys'],
  async run(given) {
    const algorithm = JWT_ALGORITHMS.find((known) => known === (given.alg ?? 'EdDSA'))
    if (algorithm === undefined) throw new UsageError(`--alg takes one of ${JWT_ALGORITHMS.join(', ')}`)
    if (given.kid === '' || (given.kid ?? '').length > MAX_KEY_ID_LENGTH) {
      throw new UsageError(`--kid takes 1 to ${MAX_KEY_ID_LENGTH} characters`)
    }
    const out = given.out ?? '.'
    const files = { privateKey: join(out, PRIVATE_KEY_FILE), jwks: join(out, JWKS_FILE) }
    await makeRoom(out, Object.values(files), given.force ?? false)
    const { privateJwk, publicJwk } = await makeKeyPair(algorithm, given.kid)
    await writeJson(files.privateKey, privateJwk)
    await writeJson(files.jwks, { keys: [publicJwk] })
    printNextCommands(files)
    return EXIT.done
  },
})

async function makeKeyPair(algorithm: JwtAlgorithm, keyId: string | undefined) {
  const key = newPrivateKey(algorithm)
  const members: JWK = createPublicKey(key).export({ format: 'jwk' })
  const kid = keyId ?? (await calculateJwkThumbprint(members))
  const publicJwk: JWK = { ...members, alg: algorithm, use: 'sig', kid }
  const privateJwk: JWK = { ...key.export({ format: 'jwk' }), alg: algorithm, use: 'sig', kid }
  return { privateJwk, publicJwk }
}

async function makeRoom(directory: string, paths: readonly string[], force: boolean): Promise<void> {
  await makeDirectory(directory).catch(() => {
    throw new RefusedError(`cannot create the directory ${directory}; choose another with --out`)
  })
  for (const path of paths) {
    const problem = `cannot replace ${path}; choose another directory with --out`
    if (force) await rm(path, { force }).catch(() => Promise.reject(new RefusedError(problem)))
    else if (existsSync(path)) throw new RefusedError(`${path} already exists; add --force to replace it`)
  }
}

/** Does what `mkdir` does with `recursive`, which never ends below /proc. */
async function makeDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeDirectory(parent)
  await mkdir(path).catch(async (error) => {
    if (!(await isDirectory(path))) throw error // another process was faster
  })
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** `wx` fails on existing files and links, so nobody can prepare a readable file for the private key. */
async function writeJson(path: string, value: object): Promise<void> {
  const mode = path.endsWith(PRIVATE_KEY_FILE) ? OWNER_ONLY : undefined
  await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`, { flag: 'wx', mode }).catch(() => {
    throw new RefusedError(`cannot write ${path}; choose another directory with --out`)
  })
}

function printNextCommands(files: { readonly privateKey: string; readonly jwks: string }): void {
  const url = `http://127.0.0.1:${DEFAULT_PORT}${pathOf(DEFAULT_ID)}`
  print(`Private key: ${files.privateKey}`)
  print(`Public keys: ${files.jwks}`)
  print('')
  print('Next, in one terminal:')
  print(`  ${HOOKGATE} listen --jwks ${shellQuote(files.jwks)}`)
  print('and in another:')
  print(`  ${HOOKGATE} send ${url} --key ${shellQuote(files.privateKey)} --data '{"hello":"world"}'`)
}
