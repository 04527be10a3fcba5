import { readFileSync } from 'node:fs'

/** The programs of a page that begin with the name of their file, by that name. */
export function pagePrograms(page: string): { readonly [file: string]: string } {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const fences = text.matchAll(
    /^```(?:ts|tsx|js|json|jsonc)(?: no-check)?\n\/\/ (\S+\.\w+)\n([\s\S]*?)^```$/gm,
  )
  return Object.fromEntries([...fences].map(([, file = '', code = '']) => [file, code]))
}
