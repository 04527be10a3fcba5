import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERRORS_PAGE } from '../../../src/errors.ts'
import { runCommand } from '../shared-process.ts'
import { hookgate, ROOT, SECRET } from '../support.ts'

const COMMANDS = [
  'listen',
  'send',
  'sign',
  'verify',
  'conform',
  'schemes',
  'secret',
  'keys',
  'doctor',
  'recover',
  'renew',
  'inbox',
]

test.concurrent.each(COMMANDS)('%s --help has an example and every option', async (command) => {
  const help = await runCommand([command, '--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toMatch(new RegExp(`^hookgate ${command}: `))
  expect(help.stdout).toMatch(new RegExp(`\nExamples:\n {2}.*hookgate ${command}`))
  expect(help.stdout).toContain('--help')
  expect(await runCommand([command, '--nonsense', '-h'])).toEqual(help)
})

const INNER = ['inbox list', 'inbox show', 'inbox again', 'inbox forget']

test('no line of a help is wider than 80 characters, and no option ends with a full stop', async () => {
  const helps = [...COMMANDS, ...INNER].flatMap((command) => [
    [...command.split(' '), '--help'],
    [...command.split(' '), '--help', '--all'],
  ])
  for (const args of [[], ...helps]) {
    const { stdout } = await runCommand(args)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(stdout.match(/^ {2}-.*(?:\n {10,}.*)*\.$/gm)).toBe(null)
  }
})

test('--help shows the common options, and --help --all each option once', async () => {
  const optionsIn = (text: string) => text.match(/(?<=^ {2})(?:-h, )?--[a-z-]+/gm) ?? []
  const [short, long] = await Promise.all([
    runCommand(['listen', '--help']),
    runCommand(['listen', '--help', '--all']),
  ])
  expect(optionsIn(short.stdout).slice(0, 3)).toEqual(['--scheme', '--secret-file', '--forward-to'])
  expect(short.stdout).toContain('--help --all shows every option')
  expect(short.stdout.split('\n').length).toBeLessThanOrEqual(45)
  const all = optionsIn(long.stdout)
  expect(all.toSorted()).toEqual([...new Set([...all, ...optionsIn(short.stdout)])].toSorted())
  const { options } = await (await import('../../../cli/commands/listen.ts')).listen
  expect(all.length).toBe(Object.keys(options).length + 1)
  expect(long.stdout).toMatch(/^JWT:\n {2}--jwks FILE\|URL /m)
  expect(await runCommand(['help', 'listen', '--all'])).toEqual(long)
  expect((await runCommand(['conform', '--all', '--help'])).stdout).toMatch(/^ {2}--all +Also print/m)
})

test('an example of a help is a command that a shell takes as one line', async () => {
  for (const command of COMMANDS) {
    const { stdout } = await runCommand([command, '--help'])
    const [, examples = ''] = /\nExamples:\n((?: {2}.*\n)+)/.exec(stdout) ?? []
    for (const line of examples.trimEnd().split('\n')) {
      expect(line).toMatch(/^ {2}(?:(?: {2}--)|\S?.*hookgate )/)
      if (line.startsWith('    ')) expect(examples).toContain(` \\\n${line}`)
    }
  }
})

test.concurrent.each(['--help', '-h', 'help'])('hookgate %s names every command', async (word) => {
  const help = await runCommand([word])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  for (const command of COMMANDS) expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  expect(help.stdout).toContain('Examples:')
})

test.concurrent.each([
  [['lissten'], 'hookgate: unknown command lissten; did you mean listen?'],
  [['nonsense'], `hookgate: unknown command nonsense; the commands are ${COMMANDS.join(', ')}`],
  [['\u001b[2J'], `hookgate: unknown command; the commands are ${COMMANDS.join(', ')}`],
])('hookgate %j is a usage error that names the commands', async (args, line) => {
  expect(await runCommand(args)).toEqual({ code: 2, stdout: '', stderr: `${line}\nSee: hookgate --help\n` })
})

test.concurrent.each([
  [0, ['sign', '--data', '{}', '--timestamp', '1790000000', '--event-id', 'x']],
  [1, ['send', 'http://127.0.0.1:1/', '--data', '{}']],
  [2, ['send', '--nonsense']],
])('a command in a process of its own ends alike, with %i', async (code, args) => {
  const env = { HOOKGATE_SECRET: SECRET }
  const alone = await hookgate(args, { env })
  expect(alone.code).toBe(code)
  expect(await runCommand(args, { env })).toEqual(alone)
})

test('hookgate without arguments prints the same help as --help', async () => {
  expect(await runCommand([])).toEqual(await runCommand(['--help']))
})

test.each(['--version', '-v'])('hookgate %s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  expect(await runCommand([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('a forward secret that is too short is refused, and not repeated', async () => {
  const env = { HOOKGATE_FORWARD_SECRET: 'short' }
  const ended = await runCommand(['listen', '--forward-to', URL_], { env })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/^hookgate listen: HOOKGATE_FORWARD_SECRET: /)
  expect(ended.stderr).not.toContain('short\n')
})

/** The named files do not exist here, and no command creates them. */
const EMPTY = import.meta.dirname

const URL_ = 'http://127.0.0.1:1/'

test.concurrent.each<[string[], string]>([
  [['listen', '--prot', '1'], 'unknown option --prot; did you mean --port?'],
  [['listen', '--port'], '--port needs a value'],
  [['listen', '--port', '65536'], '--port takes a whole number from 0 to 65535'],
  [['listen', '--port', '1e3'], '--port takes a whole number'],
  [['listen', '--json=1'], '--json takes no value'],
  [['listen', '8787'], 'takes no arguments, only options: --port N'],
  [['listen', 'stripe'], '--scheme NAME'],
  [['listen', 'http://localhost:3000'], '--forward-to URL'],
  [['verify', 'body.json'], 'takes no arguments, only options: --file FILE'],
  [['doctor', 'https://x.example/'], 'takes no arguments, only options: --url URL'],
  [['secret', 'x'], 'takes no arguments, only options'],
  [['listen', '--listener-id', '..'], '--listener-id takes a name'],
  [['listen', '--port', '0', '--allow-cidr', '10.0.0.1/8'], 'did you mean 10.0.0.0/8?'],
  [['listen', '--tenant-url', 'https://t.example'], 'add --jwks'],
  [['listen', '--jwks', 'nope.json'], '--jwks nope.json: the file does not exist'],
  [['listen', '--jwks', 'x', '--secret-file', 'y'], 'give --jwks or --secret-file, not both'],
  [['listen', '--verify-token-file', 'x'], '--verify-token-file is for --scheme meta'],
  [['listen', '--secret-file', 'nope.txt'], '--secret-file nope.txt: the file does not exist'],
  [['listen', '--tolerance', '0'], '--tolerance takes a whole number'],
  [
    ['listen', '--max-body', '65mb'],
    '--max-body takes a size from 1 to 67108864 bytes, e.g. 65536, 64kb or 1mb',
  ],
  [['listen', '--max-body', '1.5mb'], '--max-body takes a size'],
  [['listen', '--max-body', '0'], '--max-body takes a size'],
  [['listen', '--lease', '0'], '--lease takes a whole number from 1 to 3600'],
  [
    ['listen', '--forward-to', 'app/hook'],
    '--forward-to takes 3000/webhooks, localhost:3000/webhooks, or a URL',
  ],
  [['listen', '--forward-to', '0'], '--forward-to takes 3000/webhooks, localhost:3000/webhooks, or a URL'],
  [['listen', '--forward-to', 'http://a:b@x.example/'], 'or a URL without credentials'],
  [['listen', '--timeout', '5'], '--timeout needs --forward-to URL'],
  [['listen', '--pass-header', 'x'], '--pass-header needs --forward-to URL'],
  [['listen', '--forward-secret-file', 'x'], '--forward-secret-file needs --forward-to URL'],
  [['listen', '--forward-to', URL_, '--forward-secret-file', 'nope'], 'nope: the file does not exist'],
  [['listen', '--forward-to', URL_, '--timeout', '0'], '--timeout takes a whole number from 1 to 900'],
  [['listen', '--forward-to', URL_, '--timeout', '901'], '--timeout takes a whole number from 1 to 900'],
  [
    ['listen', '--forward-to', URL_, '--lease', '1000', '--timeout', '1001'],
    '--timeout takes a whole number from 1 to 1000',
  ],
  [['listen', '--forward-to', URL_, '--pass-header', 'X_Real_IP'], 'letters, digits and hyphens'],
  [['listen', '--forward-to', URL_, '--pass-header', 'Transfer-Encoding'], 'it belongs to one connection'],
  [['listen', '--forward-to', URL_, '--pass-header', 'Hookgate-Auth'], 'hookgate sets this header itself'],
  [['send'], 'needs a URL'],
  [['listen', '--jwks', '/dev/zero'], '--jwks /dev/zero: it is over 64 MB; give a smaller one'],
  [['send', URL_, URL_], 'takes only one URL'],
  [['send', 'localhost:3000', '--data', '{}'], 'URL takes http:// or https:// and a host'],
  [['send', 'ftp://x.example/', '--data', '{}'], 'URL takes http:// or https:// and a host'],
  [['send', 'http://a:b@x.example/', '--data', '{}'], 'URL must not contain credentials'],
  [['send', URL_, '--data', '{}'], 'set HOOKGATE_SECRET, or give --secret-file'],
  [['send', URL_, '--key', 'nope.json'], '--key nope.json: the file does not exist'],
  [['send', URL_, '--expires', '1'], 'add --key'],
  [['send', URL_, '--skew', 'x'], '--skew takes a whole number'],
  [['send', URL_, '--event-id', 'a b'], '--event-id takes one word'],
  [['send', URL_, '--duplicate', '--tamper'], 'not both'],
  [['sign', '--curl', '--data', '{}'], '--curl needs the URL'],
  [['verify'], 'set HOOKGATE_SECRET'],
  [['verify', '--jwks', 'x'], 'needs --public-url'],
  [['conform', URL_, '--public-url', URL_], '--public-url is for JWT: add --key'],
  [['conform', URL_, '--tenant-url', URL_], '--tenant-url is for JWT: add --key'],
  [['keys', '--alg', 'HS256'], '--alg takes one of RS256, ES256, EdDSA'],
  [['keys', '--kid', ''], '--kid takes 1 to 256 characters'],
])('%j is a usage error that names the fix', async (args, fix) => {
  const ended = await runCommand(args, { cwd: EMPTY })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  const [line = '', see, ...rest] = ended.stderr.split('\n')
  expect(line.startsWith(`hookgate ${args[0]}: `)).toBe(true)
  expect(line).toContain(fix)
  expect([see, rest.pop()]).toEqual([`See: hookgate ${args[0]} --help`, ''])
  for (const entry of rest) expect(entry).toBe(`ERR_LISTENER_CONFIG: ${ERRORS_PAGE}err_listener_config`)
})

test.concurrent.each<[string[], string]>([
  [['send', URL_, '--data', '{}', '--file', 'x'], 'give --data or --file, not both'],
  [['send', URL_, '--file', 'nope.json'], '--file nope.json: the file does not exist'],
  [['send', URL_, '--file', '.'], '--file .: it is a directory'],
  [['listen', '--scheme', 'stripe', '--verify-token-file', 'x'], 'stripe has no verify token'],
  [['listen', '--scheme', 'meta', '--verify-token-file', 'nope'], 'nope: the file does not exist'],
  [['verify'], 'needs the headers'],
  [['verify', '--header', 'nonsense'], "write each header as 'Name: value'"],
  [['sign', 'http://x.example/', '--curl'], 'give it with --file'],
  [
    ['sign', '--scheme', 'twilio', '--data', 'a=1'],
    '--scheme twilio signs the URL: give it in full, or as --public-url',
  ],
  [
    ['sign', '--scheme', 'square', '--data', '{}'],
    '--scheme square signs the URL: give it in full, or as --public-url',
  ],
  [
    ['sign', '--scheme', 'rfc9421', '--data', '{}'],
    '--scheme rfc9421 signs the URL: give it in full, or as --public-url',
  ],
  [
    ['sign', '--scheme', 'qstash', '--data', '{}', '--public-url', 'x.example'],
    '--scheme qstash signs the URL: give it in full, or as --public-url',
  ],
  [
    ['send', URL_, '--scheme', 'twilio', '--sample', '--public-url', 'x.example'],
    '--scheme twilio signs the URL: give',
  ],
  ...(
    [
      ['listen', '--port', '0', '--scheme', 'github'],
      ['listen', '--port', '0', '--scheme', 'livekit', '--key-id', 'a'],
      ['verify', '--scheme', 'github', '--header', 'Host: x.example'],
      ['send', URL_, '--scheme', 'stripe', '--type', 'invoice.paid'],
      ['sign', '--scheme', 'slack', '--data', '{}'],
      ['conform', URL_, '--scheme', 'plaid'],
      ['conform', URL_, '--scheme', 'shopify'],
    ] as const
  ).map((args): [string[], string] => [
    [...args, '--public-url', URL_],
    'does not sign the URL: remove --public-url',
  ]),
  [['send', URL_, '--scheme', 'github', '--data', '{}', '--key', 'x'], '--key is not for --scheme github'],
  [
    ['send', URL_, '--scheme', 'github', '--data', '{}', '--expires', '9'],
    '--expires is for JWT: leave it out',
  ],
  [
    ['sign', '--scheme', 'github', '--data', '{}', '--tenant-url', URL_],
    '--tenant-url is for JWT: leave it out',
  ],
  [['conform', URL_, '--scheme', 'github', '--tenant-url', URL_], '--tenant-url is for JWT: leave it out'],
])('%j with a secret is a usage error that names the fix', async (args, fix) => {
  const ended = await runCommand(args, { cwd: EMPTY, env: { HOOKGATE_SECRET: SECRET }, input: '\0' })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(fix)
})

test.concurrent.each([[['nonsense']], [['toString']]])('hookgate %j is a usage error', async (args) => {
  const ended = await runCommand(args)
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(COMMANDS.join(', '))
  expect(ended.stderr).toContain('See: hookgate --help')
})

test('help with a command is the help of that command; help with anything else is the overview', async () => {
  const help = await runCommand(['help', 'send'])
  expect(help).toEqual(await runCommand(['send', '--help']))
  expect(await runCommand(['help', 'me'])).toEqual(await runCommand(['--help']))
})
