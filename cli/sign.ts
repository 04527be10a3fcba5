import type { SignedRequest } from '../src/signing/sign.ts'
import { type Command, defineCommand } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { print, shellQuote } from './output.ts'
import { readSigner, SIGN_OPTIONS, type SignValues } from './signing.ts'
import { httpUrl } from './values.ts'

interface SignCommandValues extends SignValues {
  readonly curl?: boolean
}

export const sign: Command = defineCommand<SignCommandValues>({
  name: 'sign',
  summary: 'print the headers that send would send',
  operand: { name: 'URL', required: false },
  options: { ...SIGN_OPTIONS, curl: { says: 'Print a curl command; takes the URL.' } },
  notes: ['A signature is good for 5 minutes, and for one event.'],
  examples: [
    'hookgate sign --file event.json',
    'hookgate sign --data \'{"hello":"world"}\' --curl http://127.0.0.1:8787/api/v1/webhooks/incoming/demo',
  ],
  async run(given, url) {
    if (url !== '') httpUrl('URL', url)
    if (given.curl && url === '') throw new UsageError('--curl needs the URL')
    const signer = await readSigner(given, url)
    const request = await signer.sign()
    const headers = Object.entries(request.headers).map(([name, value]) => `${titleCase(name)}: ${value}`)
    print(given.curl ? curlCommand(url, headers, request, given) : headers.join('\n'))
    return EXIT.done
  },
})

function curlCommand(
  url: string,
  headers: readonly string[],
  request: SignedRequest,
  { file }: SignValues,
): string {
  const fromFile = file !== undefined && file !== '-'
  // --data-raw, because --data reads a file when the text begins with @.
  const body = fromFile ? ['--data-binary', `@${file}`] : ['--data-raw', textOf(Buffer.from(request.body))]
  const words = ['--include', ...headers.flatMap((header) => ['--header', header]), ...body, url]
  return ['curl', ...words.map(shellQuote)].join(' ')
}

function textOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8')
  if (text.includes('\0') || !Buffer.from(text).equals(body)) {
    throw new UsageError('this body does not fit into a command: give it with --file')
  }
  return text
}

function titleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
