#!/usr/bin/env node
import { runTokenCommand } from './tokens/command.ts'

const HELP = `npm run service                serves until it is stopped; the README lists the SERVICE_… variables
npm run service -- token …     access tokens: issue, list, revoke; --help says how
`

const [command, ...rest] = process.argv.slice(2)
if (command === undefined) await import('./serve.ts').catch(giveUp)
else if (command === 'token') process.exitCode = await runTokenCommand(rest, process.env, console)
else {
  console.log(HELP)
  process.exitCode = command === '--help' ? 0 : 2
}

/** What the operator can mend is said in a line; a slip of ours needs its stack. */
function giveUp(error: unknown): never {
  const { code, message, port } = Object(error)
  if (code === 'EADDRINUSE')
    console.error(`Port ${port} is in use: SERVICE_PORT names another; 0 is any free one.`)
  else console.error(error instanceof TypeError || error instanceof ReferenceError ? error : message || code)
  process.exit(1)
}
