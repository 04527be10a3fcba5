import { addressOf } from '../../src/schemes/kit/signed-url.ts'
import type { SignedRequest } from '../../src/signing/sign.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT, UsageError } from '../command-line/exit.ts'
import { print } from '../command-line/output.ts'
import { curlCommand, dataOption, headerLines } from '../command-line/shell.ts'
import { httpUrl } from '../command-line/values.ts'
import { isInBody, loadScheme } from '../signing/schemes.ts'
import { JWT_OPTION_NAMES, readSigner, SIGN_OPTIONS, type SignValues } from '../signing/signer.ts'

export const sign: Command = defineCommand({
  name: 'sign',
  summary: 'print the headers that send would send',
  operand: { name: 'URL', required: false },
  options: { ...SIGN_OPTIONS, curl: { says: 'Print a curl command; needs the URL' } },
  common: ['scheme', 'secret-file', 'data', 'file', 'curl'],
  groups: { JWT: JWT_OPTION_NAMES },
  notes: ['Most signatures are valid for 5 minutes, and for one event.'],
  examples: [
    'hookgate sign --scheme stripe --secret-file whsec.txt --file invoice-paid.json',
    'hookgate sign http://localhost:3000/webhooks/stripe --scheme stripe --file event.json --curl',
  ],
  async run(given, url) {
    if (url !== '') httpUrl('URL', url)
    if (given.curl && url === '') throw new UsageError('--curl needs the URL')
    const signer = await readSigner(given, url)
    const changesBody = given.scheme !== undefined && isInBody(await loadScheme(given.scheme))
    if (changesBody && !given.curl) {
      throw new UsageError(`--scheme ${given.scheme} writes the signature into the body: add --curl`)
    }
    const request = await signer.sign()
    if (request.url !== undefined && !given.curl) {
      throw new UsageError(`--scheme ${given.scheme} writes into the query of the URL: add --curl`)
    }
    print(
      given.curl
        ? asCommand(addressOf(signer.target, request), request, changesBody ? {} : given)
        : headerLines(request.headers).join('\n'),
    )
    return EXIT.done
  },
})

function asCommand(url: string, { headers, body }: SignedRequest, { file }: SignValues): string {
  const fromFile = file !== undefined && file !== '-'
  const option = fromFile ? (['--data-binary', `@${file}`] as const) : dataOption(Buffer.from(body))
  if (option === undefined)
    throw new UsageError('this body cannot be part of a command line: give it with --file')
  return curlCommand(url, headers, option)
}
