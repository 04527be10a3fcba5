import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, Vite } from 'vitest/node'

/** The pattern of a skip reason in a test's name. */
const REASON = / ?\(skipped: ([^)]*)\)/
const CONDITION = /\bskipIf\(((?:[^()]|\([^()]*\))*)\)/g

/** Prints each skipped test and its reason at the end of a run, and nothing if none was skipped. */
export class SkipReporter implements Reporter {
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void = (line) => process.stderr.write(`${line}\n`)) {
    this.#print = print
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(linesOf)
    if (lines.length === 0) return
    this.#print(`\n${lines.length} skipped:`)
    for (const line of lines) this.#print(`  ${line}`)
  }
}

function linesOf(module: TestModule): string[] {
  const skipped = [...module.children.allTests('skipped')]
  if (skipped.length === 0) return []
  const file = relative(process.cwd(), module.moduleId)
  return skipped.map((test) => `${file} > ${test.fullName.replace(REASON, '')}: ${reasonOf(test)}`)
}

/** The reason from the test's name or from `ctx.skip()`, otherwise the conditions in its file. */
function reasonOf(test: TestCase): string {
  const result = test.result()
  const note = result.state === 'skipped' ? result.note : undefined
  const named = REASON.exec(test.fullName)?.[1] ?? note
  if (named !== undefined) return named
  const conditions = readFileSync(test.module.moduleId, 'utf8').matchAll(CONDITION)
  const texts = [...new Set([...conditions].map(([, condition = '']) => condition))]
  return texts.length === 0 ? 'it says no reason' : `skipIf(${texts.join('), skipIf(')})`
}

/** Adds it once, even if `--reporter` replaces the configured reporters. */
export function reportSkips(): Vite.Plugin {
  return {
    name: 'report-skips',
    configureVitest({ vitest }) {
      const { reporters } = vitest.config
      if (!reporters.some((reporter) => reporter instanceof SkipReporter)) reporters.push(new SkipReporter())
    },
  }
}
