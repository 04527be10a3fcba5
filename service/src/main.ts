#!/usr/bin/env node
import { runTokenCommand } from './tokens/command.ts'

const HELP = `npm run service                serves until it is stopped; the README lists the SERVICE_… variables
npm run service -- token …     access tokens: issue, list, revoke; --help says how
`

const [command, ...rest] = process.argv.slice(2)
if (command === undefined) await import('./serve.ts')
else if (command === 'token') process.exitCode = await runTokenCommand(rest, process.env, console)
else {
  console.log(HELP)
  process.exitCode = command === '--help' ? 0 : 2
}
