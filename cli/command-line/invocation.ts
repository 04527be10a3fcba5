import { basename, delimiter, dirname, isAbsolute, relative } from 'node:path'
import { shellQuote } from './shell.ts'

interface Started {
  /** `process.argv[1]`: the script, or the link to it. */
  readonly script: string
  /** `process.execPath`. */
  readonly runtime: string
  readonly cwd: string
  /** `PATH`. */
  readonly searched: string
}

/**
 * The shell command that runs this same program again, for printed commands. Never npx: if the package is not installed, npx
 * downloads a package of that name and runs it with the user's secret.
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

/** Relative if the script is inside the working directory, absolute otherwise. */
function pathFrom(cwd: string, script: string): string {
  const path = relative(cwd, script)
  if (path.startsWith('..') || isAbsolute(path)) return script
  return path.includes('/') || path.includes('\\') ? path : `./${path}`
}

export const HOOKGATE: string = invocationOf({
  script: process.argv[1] ?? 'hookgate',
  runtime: process.execPath,
  cwd: process.cwd(),
  searched: process.env.PATH ?? '',
})
