import { spawn } from 'node:child_process'
import { remark } from '../command-line/output.ts'

/** The programs that open an address in the default browser. None of them is a shell. */
const OPENERS: { readonly [platform: string]: readonly [command: string, ...args: string[]] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** The platform's program, and its arguments. */
export function openerOf(platform: NodeJS.Platform, address: string): readonly [string, readonly string[]] {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open']
  return [command, [...args, address]]
}

/** Opens the page, and prints a remark if that fails. The browser outlives this process. */
export function openPage(address: string): void {
  const [command, args] = openerOf(process.platform, address)
  const failed = (why: string) =>
    remark(`hookgate: ${command} could not open a browser (${why}); open the inspector's address yourself`)
  spawn(command, args, { stdio: 'ignore', detached: true })
    .once('error', (error) => failed('code' in error ? String(error.code) : error.name))
    .once('exit', (code) => code && failed(`exit code ${code}`))
    .unref()
}
