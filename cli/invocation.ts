import { basename, delimiter, dirname, isAbsolute, relative } from 'node:path'
import { shellQuote } from './shell-quote.ts'

/** How a process was started: the part that a user can repeat. */
export interface Started {
  /** `process.argv[1]`: the script, or the link to it. */
  readonly script: string
  /** `process.execPath`. */
  readonly runtime: string
  readonly cwd: string
  /** `PATH`. */
  readonly searched: string
}

/**
 * What to type to run this very program again, for lines that are printed to be pasted. Never through npx: where the package is
 * not installed, npx fetches one of that name from a registry, and runs it with the user's secret.
 */
export function invocationOf({ script, runtime, cwd, searched }: Started): string {
  const folder = dirname(script)
  const isLink = basename(script) === 'hookgate'
  // npx and npm scripts put this folder on the PATH of their own processes; other terminals have no such PATH.
  const isLocal = basename(folder) === '.bin'
  if (isLink && !isLocal && searched.split(delimiter).includes(folder)) return 'hookgate'
  const path = shellQuote(pathFrom(cwd, script))
  return isLink ? path : `${shellQuote(basename(runtime))} ${path}`
}

/** Relative within the folder where the command is run; absolute otherwise. */
function pathFrom(cwd: string, script: string): string {
  const path = relative(cwd, script)
  if (path.startsWith('..') || isAbsolute(path)) return script
  return path.includes('/') || path.includes('\\') ? path : `./${path}`
}

/** The invocation of this process. */
export const HOOKGATE: string = invocationOf({
  script: process.argv[1] ?? 'hookgate',
  runtime: process.execPath,
  cwd: process.cwd(),
  searched: process.env.PATH ?? '',
})
