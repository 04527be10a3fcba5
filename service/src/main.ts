#!/usr/bin/env node
import { memberOf } from './member-of.ts'
import { runTokenCommand } from './tokens/command.ts'

const HELP = `npm run service                start the service; the README lists the SERVICE_… variables
npm run service -- token …     issue, list and revoke access tokens; see --help
`

const [command, ...rest] = process.argv.slice(2)
if (command === undefined) await import('./serve.ts').catch(giveUp)
else if (command === 'token') process.exitCode = await runTokenCommand(rest, process.env, console)
else {
  console.log(HELP)
  process.exitCode = command === '--help' ? 0 : 2
}

/** One line for a failure that the operator can fix. The stack for a bug. */
function giveUp(error: unknown): never {
  const code = memberOf(error, 'code')
  if (code === 'EADDRINUSE')
    console.error(
      `Port ${memberOf(error, 'port')} is in use. Set SERVICE_PORT to another port, or to 0 for any free one.`,
    )
  else
    console.error(
      error instanceof TypeError || error instanceof ReferenceError
        ? error
        : memberOf(error, 'message') || code,
    )
  process.exit(1)
}
