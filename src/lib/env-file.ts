import { memberOf } from './member-of.ts'

/** The parts of Node that are used. Declared, because web runtimes compile this without Node's types. */
interface Files {
  statSync(path: string): { isFile(): boolean; readonly size: number }
  readFileSync(path: string, encoding: 'utf8'): string
}

interface Platform {
  readonly process?: {
    readonly env: { readonly [name: string]: string | undefined }
    getBuiltinModule?(name: 'node:fs'): Files | undefined
  }
}

const LARGEST = 65_536
/** The names of variables that have a value, without it. */
const NAMES = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{0,63})[ \t]*=[ \t]*(?!["']{2}\s*$|#)\S/gm
const SECRET = /SECRET|TOKEN|KEY|PASSWORD/i

/** How the problem of a secret ends that is not set. */
export const SET_IT = 'set the environment variable'

/** The problem of a secret. If it is not set, says so if a `.env` has it. `owner`: the name of the scheme, or `hookgate`. */
export function withLoadHint(problem: string, owner: string): string {
  const hint = problem.endsWith(SET_IT) ? notLoaded(owner) : undefined
  return hint ? `${problem}: ${hint}` : problem
}

/**
 * What to do if a secret is undefined, and the working directory has a `.env` with a variable for it that this process lacks: mostly, the
 * import ran before dotenv. Undefined if there is none, and on platforms without files. Never returns a value.
 *
 * @param owner Whose secret it is. The variable has this name in its own, or is that of any webhook.
 */
function notLoaded(owner: string): string | undefined {
  try {
    if (memberOf(globalThis, 'Deno') !== undefined) return undefined // it would ask for permission
    const { process } = globalThis as Platform // not every runtime has one
    const files = process?.getBuiltinModule?.('node:fs')
    const file = files?.statSync('.env')
    if (!process || !files || !file?.isFile() || file.size > LARGEST) return undefined
    const names = [...files.readFileSync('.env', 'utf8').matchAll(NAMES)].map(([, name = '']) => name)
    const missing = names.filter((name) => process.env[name] === undefined && SECRET.test(name))
    const word = owner.replace(/-/g, '_').toUpperCase()
    const own = missing.filter((name) => name.toUpperCase().includes(word))
    const name =
      own.find((each) => /WEBHOOK|SIGNING/i.test(each)) ??
      own[0] ??
      missing.find((each) => /^(?:HOOKGATE|WEBHOOKS?)_/i.test(each))
    return (
      name && `.env has ${name}, but was not loaded before this ran: start with node --env-file=.env app.mjs`
    )
  } catch {
    return undefined // there is no such file, or it may not be read
  }
}
