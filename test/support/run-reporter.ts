import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, Vite, Vitest } from 'vitest/node'

/** The pattern of a skip reason in a test's name. */
const REASON = / ?\(skipped: ([^)]*)\)/
const NO_REASON = 'no reason given: name it in the test, as "(skipped: …)"'
const CONDITION = /\bskipIf\(((?:[^()]|\([^()]*\))*)\)/g

const MOST_FILES = 10

/** Prints the slowest files and each skipped test with its reason. A skip without a reason fails the run. */
export class RunReporter implements Reporter {
  readonly #print: (line: string) => void
  #isChosen = false

  constructor(print: (line: string) => void = (line) => process.stderr.write(`${line}\n`)) {
    this.#print = print
  }

  onInit(vitest: Vitest): void {
    this.#isChosen = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length > MOST_FILES) this.#list('slowest files:', slowest(modules))
    if (this.#isChosen) return // `-t` skips all others
    const skipped = modules.flatMap(linesOf)
    if (skipped.length > 0) this.#list(`${skipped.length} skipped:`, skipped)
    if (skipped.some((line) => line.endsWith(NO_REASON))) process.exitCode = 1
  }

  #list(title: string, lines: readonly string[]): void {
    this.#print(`\n${title}`)
    for (const line of lines) this.#print(`  ${line}`)
  }
}

/** The time of a file, and of its imports, which isolation repeats in each file. */
function slowest(modules: readonly TestModule[]): string[] {
  const timed = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic()
    return {
      file: relative(process.cwd(), module.moduleId),
      collectDuration,
      total: collectDuration + duration,
    }
  })
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  return timed
    .toSorted((one, other) => other.total - one.total)
    .slice(0, MOST_FILES)
    .map(
      ({ file, collectDuration, total }) =>
        `${seconds(total)} s (imports ${seconds(collectDuration)}) ${file}`,
    )
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
  return texts.length === 0 ? NO_REASON : `skipIf(${texts.join('), skipIf(')})`
}

/** Adds it once, even if `--reporter` replaces the configured reporters. */
export function reportRun(): Vite.Plugin {
  return {
    name: 'report-run',
    configureVitest({ vitest }) {
      const { reporters } = vitest.config
      if (!reporters.some((reporter) => reporter instanceof RunReporter)) reporters.push(new RunReporter())
    },
  }
}
