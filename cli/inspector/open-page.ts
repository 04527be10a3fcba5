import { spawn } from 'node:child_process'
import { remark } from '../command-line/output.ts'

/** The program that opens an address in the default browser, and its arguments. Never a shell. */
export function openerOf(platform: NodeJS.Platform, address: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [address]]
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]]
  return ['xdg-open', [address]]
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
