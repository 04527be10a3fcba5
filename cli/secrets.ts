import { hmac } from '../src/index.ts'
import { UsageError } from './exit.ts'
import { readGivenFile, toUsageError } from './values.ts'

export interface GivenSecret {
  readonly secret: string
  readonly from: 'environment' | 'file'
}

/** Where a secret may stand. */
export interface SecretPlaces {
  readonly option: string
  readonly variable: string
}

const SIGNING_SECRET: SecretPlaces = { option: '--secret-file', variable: 'HOOKGATE_SECRET' }

/**
 * The secret from its file or its variable; by default `--secret-file` and `HOOKGATE_SECRET`. Never from an option's value,
 * which the whole machine can read in its list of processes. Undefined when there is none.
 *
 * @throws UsageError for a secret that no listener would take. The message does not repeat it.
 */
export async function findSecret(
  file: string | undefined,
  places: SecretPlaces = SIGNING_SECRET,
): Promise<GivenSecret | undefined> {
  const found = await findText(file, places)
  if (found === undefined) return undefined
  const source = found.from === 'file' ? `${places.option} ${file}` : places.variable
  return { ...found, secret: checked(found.secret, source) }
}

/** The same text, whatever it is: another sender's secret, or its public key. */
async function findText(
  file: string | undefined,
  { option, variable }: SecretPlaces,
): Promise<GivenSecret | undefined> {
  if (file !== undefined) {
    const text = (await readGivenFile(option, file)).toString('utf8')
    return { secret: text.replace(/[\r\n]+$/, ''), from: 'file' }
  }
  const secret = process.env[variable]
  return secret === undefined ? undefined : { secret, from: 'environment' }
}

/** Leaves the format to the scheme. @throws UsageError if there is no secret. */
export async function needText(secretFile: string | undefined): Promise<string> {
  const given = await findText(secretFile, SIGNING_SECRET)
  if (given) return given.secret
  throw new UsageError('needs the signing secret: set HOOKGATE_SECRET, or give --secret-file FILE')
}

/** @throws UsageError also if there is no secret. */
export async function needSecret(secretFile: string | undefined): Promise<string> {
  const given = await findSecret(secretFile)
  if (given) return given.secret
  throw new UsageError('needs the signing secret: set HOOKGATE_SECRET, or give --secret-file FILE')
}

function checked(secret: string, source: string): string {
  try {
    hmac({ secrets: { id: 'given', secret } })
    return secret
  } catch (error) {
    throw toUsageError(error, source)
  }
}
