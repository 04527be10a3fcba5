import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const SETTINGS = {
  extends: join(root, 'tsconfig.base.json'),
  compilerOptions: {
    noEmit: true,
    declaration: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
    types: ['node'],
  },
}

export interface Snippet {
  /** The location, e.g. `README.md:59`. */
  readonly where: string
  readonly code: string
}

/**
 * Compiles snippets as strictly as this package, each as a module of its own.
 *
 * @param declarations Declaration files that every snippet may use, by name.
 * @param options Compiler options that differ from the package's.
 * @returns The output of tsc, empty if all compile.
 */
export async function compileSnippets(
  snippets: readonly Snippet[],
  declarations: { readonly [name: string]: string },
  options: object = {},
): Promise<string> {
  // Inside node_modules, where the package resolves by its name.
  const folder = mkdtempSync(join(root, 'node_modules/.snippets-'))
  try {
    const modules = snippets.map(
      ({ where, code }) => [`${where.replaceAll(/[/:]/g, '_')}.ts`, `${code}\nexport {}\n`] as const,
    )
    const files = [...Object.entries(declarations), ...modules]
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const compilerOptions = { ...SETTINGS.compilerOptions, ...options }
    const settings = { ...SETTINGS, compilerOptions, files: files.map(([name]) => name) }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    return await new Promise((resolve) => {
      execFile(join(root, 'node_modules/.bin/tsc'), ['-p', folder], (error, stdout) =>
        resolve(error ? `${stdout}\ntsc exited with ${error.code}` : stdout),
      )
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
