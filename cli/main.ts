#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { allCommands, COMMANDS } from './commands.ts'
import { EXIT, type ExitCode, RefusedError, UsageError } from './exit.ts'
import { columns } from './help.ts'
import { nearest } from './nearest.ts'
import { print, printable, remark } from './output.ts'
import { codeOf } from './values.ts'

async function main([name = '', ...args]: readonly string[]): Promise<ExitCode> {
  if (name === '--version' || name === '-v') return done(await version())
  if (name === 'help' && Object.hasOwn(COMMANDS, args[0] ?? '')) return main([...args, '--help'])
  if (['', '--help', '-h', 'help'].includes(name)) return done(await overview())
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    return complain('hookgate', noCommand(name))
  }
  const command = await load()
  if (asksForHelp(args)) return done(command.help)
  try {
    return await command.run(args)
  } catch (error) {
    if (error instanceof UsageError) return complain(`hookgate ${name}`, error.message)
    if (!(error instanceof RefusedError)) throw error
    remark(`hookgate ${name}: ${error.message}`)
    return EXIT.refused
  }
}

/** Nothing else is repeated: a URL may hold a password, and other characters move a terminal's cursor. */
const A_WORD = /^[\w-]{1,20}$/

function noCommand(name: string): string {
  const commands = Object.keys(COMMANDS)
  const similar = nearest(name, commands)
  const suggestion = similar ? `did you mean ${similar}?` : `it has ${commands.join(', ')}`
  return `has no ${A_WORD.test(name) ? `command ${name}` : 'such command'}; ${suggestion}`
}

/** True even beside a mistake: help comes first. After `--` there are no options. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h')
}

function done(text: string): ExitCode {
  print(text)
  return EXIT.done
}

function complain(program: string, problem: string): ExitCode {
  remark(`${program}: ${problem}\nSee: ${program} --help`)
  return EXIT.usage
}

async function overview(): Promise<string> {
  const commands = await allCommands()
  return [
    'hookgate: receive, send and check signed webhooks',
    '',
    'Usage: hookgate <command> [options]',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])).map((line) => `  ${line}`),
    '',
    'Options:',
    '  -h, --help     Show this, or the help of a command.',
    '  -v, --version  Show the version.',
    '',
    'Examples:',
    '  hookgate listen',
    '  hookgate send URL --data \'{"hello":"world"}\'',
    '  hookgate send --help',
    '',
    'Exit codes: 0 done, 1 refused, 2 usage.',
  ].join('\n')
}

async function version(): Promise<string> {
  const { version } = JSON.parse(
    await readFile(new URL(import.meta.resolve('hookgate/package.json')), 'utf8'),
  )
  return String(version)
}

// `hookgate listen | head` closes the pipe: nobody reads any more, so there is nothing left to do.
process.stdout.on('error', (error) => {
  const code = codeOf(error)
  if (code !== 'EPIPE')
    remark(`hookgate: standard output cannot be written (${code || printable(error.message)})`)
  process.exit(code === 'EPIPE' ? EXIT.done : EXIT.refused)
})
// Remarks that nobody reads: the results are still wanted.
process.stderr.on('error', () => {})

process.exitCode = await main(process.argv.slice(2))
