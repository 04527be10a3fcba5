import { readFile } from 'node:fs/promises'
import { isA, textOf } from '../../src/lib/member-of.ts'
import type { ManagementApi } from '../../src/management/api.ts'
import { Client } from '../../src/management/client.ts'
import { ManagementError } from '../../src/management/errors.ts'
import { checkMode } from '../../src/management/given.ts'
import type { Mode } from '../../src/management/missed.ts'
import { whyUnrecoverable } from '../../src/management/recoverable.ts'
import type { OptionRows, ValuesOf } from '../command-line/command.ts'
import { RefusedError, UsageError } from '../command-line/exit.ts'
import { nearest } from '../command-line/nearest.ts'
import { printable } from '../command-line/output.ts'
import { httpUrl, toUsageError } from '../command-line/values.ts'
import { needApiToken } from '../signing/secrets.ts'

/** Which endpoint, of which account. */
export const API_OPTIONS = {
  of: {
    value: 'NAME=VALUE',
    many: true,
    says: 'Where it is registered, if the sender needs that: owner=octocat, repo=hello-world, org=…',
  },
  mode: { value: 'MODE', says: 'live or test, for senders with modes (default: live)' },
  'token-file': {
    value: 'FILE',
    says: "A file with a token of the sender's API (default: HOOKGATE_API_TOKEN)",
  },
} satisfies OptionRows

type Given = ValuesOf<typeof API_OPTIONS> & { readonly scheme?: string; readonly url?: string }

export interface SenderApi {
  readonly api: ManagementApi
  readonly token: string
  readonly client: Client
  readonly url: string
  readonly mode: Mode
}

/** @throws UsageError for an option that is wrong or missing. */
export async function readSenderApi(given: Given): Promise<SenderApi> {
  const { scheme, url, mode = 'live' } = given
  if (scheme === undefined) throw new UsageError('needs the sender: --scheme NAME')
  if (url === undefined) throw new UsageError('needs --url URL: your endpoint, as it is registered')
  httpUrl('--url', url)
  if (mode !== 'live' && mode !== 'test') throw new UsageError('--mode takes live or test')
  const api = await apiOf(scheme, given.of ?? [])
  try {
    checkMode(api, mode)
  } catch (error) {
    throw toUsageError(error, '--mode')
  }
  const token = await needApiToken(given['token-file'], `a token of ${api.sender}'s API (${api.token.reads})`)
  return { api, token, url, mode, client: new Client({ api, token, clock: Date }) }
}

/** @throws RefusedError for what the sender's API refuses. Its messages have no token. */
export async function answered<Answer>(asking: Promise<Answer>): Promise<Answer> {
  return asking.catch((error: unknown) => {
    throw isA(error, ManagementError) ? new RefusedError(printable(error.message), { cause: error }) : error
  })
}

/** The names that `--scheme` takes here: one for each `hookgate/management/<name>`. */
async function senderNames(): Promise<readonly string[]> {
  const text = await readFile(new URL(import.meta.resolve('hookgate/package.json')), 'utf8')
  const { exports } = JSON.parse(text) as { readonly exports: object } // our own
  return Object.keys(exports).flatMap((path) => /^\.\/management\/([a-z0-9-]+)$/.exec(path)?.[1] ?? [])
}

async function apiOf(name: string, of: readonly string[]): Promise<ManagementApi> {
  const names = await senderNames()
  if (!names.includes(name)) {
    if (whyUnrecoverable(name) !== undefined)
      throw new UsageError(
        `--scheme ${name}: its API is not asked: compare the endpoint's URL, types and state in its console`,
      )
    const similar = nearest(name, names)
    const hint = similar ? `did you mean ${similar}?` : `there is one for ${names.join(', ')}`
    throw new UsageError(`--scheme: no such API; ${hint}`)
  }
  const module: { readonly [exported: string]: unknown } = await import(`hookgate/management/${name}`)
  const refusals: string[] = []
  const texts = of.map(parameterOf)
  const flags = texts.map(([name, text]) => [name, text === 'true' || (text !== 'false' && text)] as const)
  for (const [exported, value] of Object.entries(module)) {
    if (typeof value !== 'function') {
      if (of.length === 0) return value as ManagementApi // what this subpath exports
      refusals.push(`--scheme ${name} takes none`)
      continue
    }
    for (const parameters of [texts, flags]) {
      try {
        return value(Object.fromEntries(parameters)) // the first that takes these
      } catch (error) {
        if (textOf(error, 'code') !== 'ERR_LISTENER_CONFIG') throw error
        refusals.push(`for ${exported}, ${textOf(error, 'message')}`)
      }
    }
  }
  throw new UsageError(`--of: ${[...new Set(refusals)].join('; ')}`)
}

function parameterOf(text: string): readonly [string, string] {
  const [, name, value] = /^([a-zA-Z]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError('--of takes NAME=VALUE, such as owner=octocat')
  return [name, value]
}
