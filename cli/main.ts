#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { innermost } from './command-line/command.ts'
import { EXIT, type ExitCode, RefusedError, UsageError } from './command-line/exit.ts'
import { columns, section } from './command-line/help.ts'
import { nearest } from './command-line/nearest.ts'
import { print, printable, remark, withHelp } from './command-line/output.ts'
import { codeOf } from './command-line/values.ts'
import { allCommands, COMMANDS } from './commands.ts'

async function main([name = '', ...given]: readonly string[]): Promise<ExitCode> {
  if (name === '--version' || name === '-v') return done(await version())
  if (name === 'help' && Object.hasOwn(COMMANDS, given[0] ?? '')) return main([...given, '--help'])
  if (['', '--help', '-h', 'help'].includes(name)) return done(await overview())
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    return complain('hookgate', noCommand(name))
  }
  const [command, args] = innermost(await load(), given)
  const flags = beforeOperands(args)
  if (flags.some((arg) => arg === '--help' || arg === '-h'))
    return done(command.help(flags.includes('--all')))
  try {
    return await command.run(args)
  } catch (error) {
    if (error instanceof UsageError) return complain(`hookgate ${command.name}`, error.message, error.cause)
    if (!(error instanceof RefusedError)) throw error
    remark(withHelp(`hookgate ${command.name}: ${error.message}`, error.cause))
    return EXIT.refused
  }
}

/** Repeat nothing else: a URL may hold a password, and control characters move a terminal's cursor. */
const A_WORD = /^[\w-]{1,20}$/

function noCommand(name: string): string {
  const commands = Object.keys(COMMANDS)
  const similar = nearest(name, commands)
  const suggestion = similar ? `did you mean ${similar}?` : `the commands are ${commands.join(', ')}`
  return `unknown command${A_WORD.test(name) ? ` ${name}` : ''}; ${suggestion}`
}

/** Help comes first, even beside a mistake. After `--` there are no options. */
function beforeOperands(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}

function done(text: string): ExitCode {
  print(text)
  return EXIT.done
}

function complain(program: string, problem: string, cause?: unknown): ExitCode {
  remark(withHelp(`${program}: ${problem}\nSee: ${program} --help`, cause))
  return EXIT.usage
}

async function overview(): Promise<string> {
  const commands = await allCommands()
  return [
    'hookgate: receive, send and check signed webhooks',
    '',
    'Usage: hookgate <command> [options]',
    '',
    ...section('Commands', columns(commands.map(({ name, summary }) => [name, summary]))),
    ...section(
      'Options',
      columns([
        ['-h, --help', 'Show this, or the help of a command'],
        ['-v, --version', 'Show the version'],
      ]),
    ),
    ...section('Examples', [
      'hookgate schemes stripe',
      'hookgate listen --scheme stripe --forward-to localhost:3000/webhooks/stripe',
      'hookgate send URL --scheme stripe --type invoice.paid',
      'hookgate send --help',
    ]),
    'Exit codes: 0 done, 1 refused, 2 usage.',
  ].join('\n')
}

async function version(): Promise<string> {
  const { version } = JSON.parse(
    await readFile(new URL(import.meta.resolve('hookgate/package.json')), 'utf8'),
  )
  return String(version)
}

// `hookgate verify | head` closes the pipe (EPIPE), and a window its terminal (EIO): the exit code still tells the result. `listen`
// finishes its deliveries first.
process.stdout.on('error', (error) => {
  const code = codeOf(error)
  if (code === 'EPIPE' || (code === 'EIO' && process.stdout.isTTY)) return
  remark(`hookgate: cannot write to standard output (${code || printable(error.message)})`)
  process.exit(EXIT.refused)
})
// If standard error is closed, keep printing results.
process.stderr.on('error', () => {})

process.exitCode = await main(process.argv.slice(2))
