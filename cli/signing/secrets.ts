import { hmac } from '../../src/index.ts'
import { decodeUtf8 } from '../../src/lib/bytes.ts'
import { askHidden } from '../command-line/ask-person.ts'
import { UsageError } from '../command-line/exit.ts'
import { readGivenFile, toUsageError } from '../command-line/values.ts'

interface GivenSecret {
  readonly secret: string
  readonly from: 'environment' | 'file'
}

interface SecretPlaces {
  readonly option: string
  readonly variable: string
}

/** The token that a sender repeats when you subscribe. It is text of yours, and short. */
const VERIFY_TOKEN: SecretPlaces = { option: '--verify-token-file', variable: 'HOOKGATE_VERIFY_TOKEN' }

export async function findVerifyToken(file: string | undefined): Promise<string | undefined> {
  return (await findText(file, VERIFY_TOKEN))?.secret
}

/** Of the sender's management API. */
const API_TOKEN: SecretPlaces = { option: '--token-file', variable: 'HOOKGATE_API_TOKEN' }

/** Asks at a terminal. @throws UsageError if there is none. */
export async function needApiToken(file: string | undefined, what: string): Promise<string> {
  const given = (await findText(file, API_TOKEN))?.secret ?? (await askHidden(`Paste ${what} (not shown)`))
  if (given !== undefined) return given
  throw new UsageError(`needs ${what}: set HOOKGATE_API_TOKEN, or give --token-file FILE`)
}

const SIGNING_SECRET: SecretPlaces = { option: '--secret-file', variable: 'HOOKGATE_SECRET' }

/**
 * Reads a secret from its file or environment variable: by default, `--secret-file` and `HOOKGATE_SECRET`. Never from an
 * option's value, because every user of the machine can read command lines. Undefined if there is no secret.
 *
 * @throws UsageError for a secret that no listener would accept. The message does not repeat it.
 */
export async function findSecret(
  file: string | undefined,
  places: SecretPlaces = SIGNING_SECRET,
): Promise<GivenSecret | undefined> {
  const found = await findText(file, places)
  if (found === undefined) return undefined
  try {
    hmac({ secrets: { id: 'given', secret: found.secret } })
    return found
  } catch (error) {
    throw toUsageError(error, found.from === 'file' ? `${places.option} ${file}` : places.variable)
  }
}

/** PowerShell and Windows editors write it. It would become part of the key. */
const BYTE_ORDER_MARK = '\ufeff'

/** Reads the text without checking it: it may be another sender's secret, or its public key. */
async function findText(
  file: string | undefined,
  { option, variable }: SecretPlaces,
): Promise<GivenSecret | undefined> {
  if (file !== undefined) {
    const text = decodeUtf8(await readGivenFile(option, file))
    if (text === undefined || text.startsWith(BYTE_ORDER_MARK)) {
      throw new UsageError(`${option} ${file}: save it as UTF-8 without BOM`)
    }
    if (text.trim() === '')
      throw new UsageError(`${option} ${file}: the file is empty; write the secret to it`)
    return { secret: text.replace(/[\r\n]+$/, ''), from: 'file' }
  }
  const secret = process.env[variable]
  return secret === undefined ? undefined : { secret, from: 'environment' }
}

/** Leaves the format to the scheme. Undefined if there is no secret. */
export async function findGiven(secretFile: string | undefined): Promise<string | undefined> {
  return (await findText(secretFile, SIGNING_SECRET))?.secret
}

/** Leaves the format to the scheme. Asks at a terminal. @throws UsageError if there is no text. The message says `what` is missing. */
export async function needText(secretFile: string | undefined, what?: string): Promise<string> {
  const given = (await findGiven(secretFile)) ?? (await askHidden(`Paste ${what ?? SECRET} (not shown)`))
  if (given !== undefined) return given
  throw noSecret(what)
}

const SECRET = 'the signing secret'

export function noSecret(what: string = SECRET): UsageError {
  return new UsageError(`needs ${what}: set HOOKGATE_SECRET, or give --secret-file FILE`)
}

/** @throws UsageError if there is no secret, or if no listener would accept it. */
export async function needSecret(secretFile: string | undefined): Promise<string> {
  const given = await findSecret(secretFile)
  if (given) return given.secret
  throw noSecret()
}
