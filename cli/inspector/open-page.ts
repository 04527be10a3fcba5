import { spawn } from 'node:child_process'
import { remark } from '../output.ts'

/** What opens an address in the default browser. None of them is a shell. */
const OPENERS: { readonly [platform: string]: readonly [command: string, ...args: string[]] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** The program that opens an address in the default browser of a platform, and its arguments. */
export function openerOf(platform: NodeJS.Platform, address: string): readonly [string, readonly string[]] {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open']
  return [command, [...args, address]]
}

/** Opens the page, and says so if that fails. A browser that starts here outlives this process. */
export function openPage(address: string): void {
  const [command, args] = openerOf(process.platform, address)
  const failed = (why: string) =>
    remark(`hookgate: ${command} opened no browser (${why}); open the address of the inspector yourself`)
  spawn(command, args, { stdio: 'ignore', detached: true })
    .once('error', (error) => failed('code' in error ? String(error.code) : error.name))
    .once('exit', (code) => code && failed(`exit code ${code}`))
    .unref()
}
