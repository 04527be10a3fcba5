import { type Explanation, explain } from '../../../src/explain/index.ts'
import {
  type Authenticator,
  type Delivery,
  defineListener,
  KeySetError,
  type Listener,
  type Verdict,
  verify as verifyDelivery,
} from '../../../src/index.ts'
import type { Protocol } from '../../../src/protocol.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT, RefusedError, UsageError } from '../../command-line/exit.ts'
import { paint, print, printable } from '../../command-line/output.ts'
import { toUsageError, wholeNumber } from '../../command-line/values.ts'
import { chooseAuth } from '../../listen/auth.ts'
import { beyondDetail, knownOf } from '../../listen/explanations.ts'
import { AUTH_OPTIONS } from '../../listen/options.ts'
import { saidTimeOf } from '../../listen/report.ts'
import { allSchemes, loadScheme, usesUrl } from '../../signing/schemes.ts'
import { noSecret } from '../../signing/secrets.ts'
import { CAPTURED_OPTIONS, readCaptured } from './captured.ts'

const OPTIONS = {
  ...CAPTURED_OPTIONS,
  ...AUTH_OPTIONS,
  'allow-cidr': { value: 'RULE', many: true, says: 'A network that may send, e.g. 192.0.2.0/24; repeatable' },
  at: {
    value: 'SECONDS',
    says: 'When it arrived, in Unix seconds (default: now, or the time in the record)',
  },
  explain: {
    says: 'Print every check, the likely mistake, and the claims of a refused token',
  },
} satisfies OptionRows

type VerifyValues = ValuesOf<typeof OPTIONS>

const LATEST_SECONDS = 1e11

export const verify: Command = defineCommand({
  name: 'verify',
  summary: 'verify a captured delivery; nothing is sent or recorded',
  meant: '--file FILE for the body, --headers FILE for the headers',
  options: OPTIONS,
  common: ['scheme', 'secret-file', 'headers', 'header', 'file', 'record', 'seq', 'at', 'explain'],
  groups: {
    Sender: ['public-url', 'key-id', 'verify-token-file', 'source-ip', 'allow-cidr'],
    JWT: ['jwks', 'tenant-url', 'allow-insecure-loopback'],
  },
  notes: ['With --jwks, give the full --public-url, and the same --tenant-url as to the listener.'],
  examples: [
    'hookgate verify --scheme stripe --secret-file whsec.txt --headers headers.txt --file body.json --explain',
    'hookgate verify --scheme stripe --record record.ndjson --seq 3 --explain',
  ],
  async run(given) {
    const { auth, ...known } = await readJudge(given)
    const { delivery, at } = await readCaptured(given)
    const listener = captureListener(auth, given, at)
    const verdict = await verdictFor(delivery, listener)
    printVerdict(verdict, listener.protocol, given.explain)
    if (given.explain) {
      const schemes = (await allSchemes()).map(({ scheme }) => scheme)
      const explanation = await explain(delivery, verdict, listener, { ...known, schemes })
      printExplanation({ ...explanation, likely: beyondDetail(explanation, verdict.detail) })
    }
    return verdict.ok || (verdict.handshake && verdict.reply.status < 400) ? EXIT.done : EXIT.refused
  },
})

async function readJudge(given: VerifyValues) {
  const { jwks, 'public-url': publicUrl } = given
  if (jwks !== undefined && publicUrl === undefined)
    throw new UsageError('--jwks needs --public-url URL, which is the aud of the token')
  if (given.scheme !== undefined && publicUrl === undefined && usesUrl(await loadScheme(given.scheme)))
    throw new UsageError(
      `--scheme ${given.scheme} signs the URL: add --public-url URL, as the sender calls it`,
    )
  const auth = await chooseAuth(given)
  if (auth.isNewSecret || auth.brought) throw noSecret()
  const url = publicUrl ?? 'http://127.0.0.1/'
  return { auth: await auth.authFor(url), ...knownOf({ given, auth, url }) }
}

function captureListener(auth: Authenticator, given: VerifyValues, arrivedAt: number | undefined): Listener {
  const at = given.at === undefined ? arrivedAt : wholeNumber('--at', given.at, 0, LATEST_SECONDS)
  const clock = at === undefined ? Date : { now: () => at * 1000 }
  // Empty, so no event is a duplicate. An event has at most two keys.
  const store = memoryStore({ maxRecords: 2 })
  try {
    return defineListener({ id: 'captured', auth, store, clock, allowedCidrs: given['allow-cidr'] })
  } catch (error) {
    throw toUsageError(error, '--allow-cidr')
  }
}

async function verdictFor(delivery: Delivery, listener: Listener): Promise<Verdict> {
  try {
    return await verifyDelivery(delivery, listener)
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error
    throw new RefusedError(`cannot decide: ${printable(error.message)}; check --jwks`, { cause: error })
  }
}

function printVerdict(verdict: Verdict, protocol: Protocol, isExplained: boolean | undefined): void {
  if (verdict.ok) {
    const { id, auth } = verdict.event
    const sentAt = saidTimeOf(verdict.event, protocol)
    const sent = sentAt === undefined ? '' : `, sent ${sentAt.toISOString()}`
    print(paint('green', 'accepted'))
    const by = protocol.scheme?.sender ?? auth.method
    print(printable(`event ${id}${sent}, by ${by}`))
  } else if (verdict.handshake) {
    const { status } = verdict.reply
    print(paint(status < 400 ? 'green' : 'red', `handshake (${status})`))
  } else {
    print(paint('red', `refused: ${verdict.reason} (${verdict.status})`))
    print(printable(verdict.detail) + (verdict.help && !isExplained ? '; --explain finds the mistake' : ''))
  }
}

function printExplanation({ checks, likely, token, looksLike, sentAt }: Explanation): void {
  for (const line of likely) print(`likely: ${printable(line)}`)
  for (const { name, says, ok } of checks.filter(({ name }) => name !== 'claim')) {
    const mark = ok === null ? '-' : ok ? 'ok' : 'NO'
    print(`  ${mark.padEnd(2)}  ${name.padEnd(12)}  ${says}`)
  }
  print('  -   claim         not checked: nothing is recorded here')
  if (looksLike !== undefined) print(`to verify it as its sender signs it: --scheme ${looksLike}`)
  for (const line of token) print(`token: ${printable(line)}`)
  if (sentAt !== undefined) print(`to verify it at its own time: --at ${sentAt}`)
}
