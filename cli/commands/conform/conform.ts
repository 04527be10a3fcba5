import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { paint, print, toJsonLine } from '../../command-line/output.ts'
import { httpUrl, refuseStray, toUsageError } from '../../command-line/values.ts'
import { endpointOf } from '../../signing/endpoint.ts'
import { readPrivateKey } from '../../signing/key-files.ts'
import { needSecret } from '../../signing/secrets.ts'
import {
  checkOneMethod,
  publicUrlOf,
  readSender,
  SENDER_OPTIONS,
  signWithKey,
  targetOf,
} from '../../signing/signer.ts'
import { hmacMethod, jwtMethod, type SigningMethod } from './methods.ts'
import { eventCases, refusalCases } from './own-cases.ts'
import { type CaseResult, ownIdOf, resultsOf } from './run.ts'
import { schemeCases, senderIdOf } from './scheme-cases.ts'

const OPTIONS = {
  scheme: {
    value: 'NAME',
    says: 'Send what this sender sends: stripe, github, slack, … (hookgate schemes lists them)',
  },
  ...SENDER_OPTIONS,
  'public-url': {
    value: 'URL',
    says: 'The URL that the receiver knows itself by, if the sender signs it or a token names it (default: URL)',
  },
  all: { says: 'Also print the cases that pass' },
  json: { says: 'Print NDJSON: name, rule, result, expected, answered, acceptedEventId' },
} satisfies OptionRows

type ConformValues = ValuesOf<typeof OPTIONS>

export const conform: Command = defineCommand({
  name: 'conform',
  summary: 'test whether a receiver, in any language, checks what it must',
  operand: { name: 'URL', required: true },
  options: OPTIONS,
  notes: [
    "Signs each delivery with the current time, so you need not set the receiver's clock.",
    'Use a test endpoint: its handler runs for a few events, and the last line names them.',
    'With --scheme, sends the cases that the sender allows: GitHub signs no time, so none is sent old.',
  ],
  examples: [
    'hookgate conform http://localhost:3000/webhooks/stripe --scheme stripe --secret-file whsec.txt',
    'hookgate conform https://staging.example/webhooks --secret-file secret.txt --all',
  ],
  async run(given, url) {
    httpUrl('URL', url)
    checkOneMethod(given)
    const { cases, idOf, target } =
      given.scheme === undefined ? await ownCases(given, url) : await senderCases(given, given.scheme, url)
    const all = await printResults(resultsOf(new URL(target), cases, idOf), given)
    return all.some(({ result }) => result === 'broken') ? EXIT.refused : EXIT.done
  },
})

async function senderCases(given: ConformValues, name: string, url: string) {
  refuseStray(given, ['tenant-url'], 'is for JWT: leave it out')
  const { scheme, keys } = await readSender(given, name)
  const cases = schemeCases(scheme, { ...keys, publicUrl: publicUrlOf(scheme, given, url) ?? url })
  try {
    await cases[0]?.make()
  } catch (error) {
    throw toUsageError(error, `--scheme ${name}`)
  }
  return { cases, idOf: senderIdOf(scheme.scheme), target: targetOf(scheme, given, url) }
}

async function ownCases(given: ConformValues, url: string) {
  const method = await methodOf(given, url)
  return { cases: [...eventCases(method), ...refusalCases(method)], idOf: ownIdOf, target: url }
}

async function methodOf(given: ConformValues, url: string): Promise<SigningMethod> {
  const { key, 'secret-file': secretFile } = given
  if (key === undefined) return hmacMethod(await needSecret(secretFile))
  const method = jwtMethod({ privateKey: await readPrivateKey(key), ...endpointOf(url, given) })
  await signWithKey(method.sign)
  return method
}

async function printResults(
  found: AsyncIterable<CaseResult>,
  { all, json }: ConformValues,
): Promise<readonly CaseResult[]> {
  const seen: CaseResult[] = []
  for await (const finding of found) {
    seen.push(finding)
    if (json) print(toJsonLine(finding))
    else if (all || finding.result === 'broken') printResult(finding)
  }
  if (!json) printSummary(seen)
  return seen
}

function printResult({ name, rule, result, expected, answered }: CaseResult): void {
  if (result === 'ok') print(`${paint('green', 'ok     ')} ${name}: ${answered}`)
  if (result === 'skipped') print(`${paint('yellow', 'skipped')} ${name}: no event was accepted earlier`)
  if (result !== 'broken') return
  print(`${paint('red', 'broken ')} ${name}: ${answered}, not ${expected}`)
  print(`        ${rule}`)
}

function printSummary(seen: readonly CaseResult[]): void {
  const count = (result: CaseResult['result']) => seen.filter((finding) => finding.result === result).length
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  print(`${count('ok')} of ${seen.length} as specified, ${count('broken')} broken${skipped}`)
  const events = [...new Set(seen.flatMap(({ acceptedEventId }) => acceptedEventId ?? []))]
  print(`events left behind: ${events.join(' ') || 'none'}`)
}
