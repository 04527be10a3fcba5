import { hmac } from '../src/index.ts'
import { UsageError } from './exit.ts'
import { readGivenFile, toUsageError } from './values.ts'

export interface GivenSecret {
  readonly secret: string
  readonly from: 'environment' | 'file'
}

/**
 * The signing secret, from `--secret-file` or from `HOOKGATE_SECRET`. Never from an option's value, which the whole
 * machine can read in its list of processes. Undefined when there is none.
 *
 * @throws UsageError for a secret that no listener would take. The message does not repeat it.
 */
export async function findSecret(secretFile: string | undefined): Promise<GivenSecret | undefined> {
  const found = await findText(secretFile)
  if (found === undefined) return undefined
  return {
    ...found,
    secret: checked(found.secret, secretFile ? `--secret-file ${secretFile}` : 'HOOKGATE_SECRET'),
  }
}

/** The same text, whatever it is: another sender's secret, or its public key. */
async function findText(secretFile: string | undefined): Promise<GivenSecret | undefined> {
  if (secretFile !== undefined) {
    const text = (await readGivenFile('--secret-file', secretFile)).toString('utf8')
    return { secret: text.replace(/[\r\n]+$/, ''), from: 'file' }
  }
  const secret = process.env.HOOKGATE_SECRET
  return secret === undefined ? undefined : { secret, from: 'environment' }
}

/** @throws UsageError when there is none. A scheme judges it. */
export async function needText(secretFile: string | undefined): Promise<string> {
  const given = await findText(secretFile)
  if (given) return given.secret
  throw new UsageError('needs the signing secret: set HOOKGATE_SECRET, or give --secret-file FILE')
}

/** @throws UsageError also when there is none. */
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
