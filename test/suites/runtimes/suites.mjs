import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runPackage } from './package/suite.mjs'
import { runIn } from './processes.mjs'
import { RUNTIMES } from './runtimes.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const TSC = `${root}node_modules/typescript/bin/tsc`
const VITEST = `${root}node_modules/vitest/vitest.mjs`

/**
 * Everything that decides about a delivery. The stores' engines, the races, the command line, packaging and the service
 * are left out: they do not depend on an edge runtime, and the main run has them on Node.
 */
const LOGIC = [
  'test/support/runtime.test.ts',
  ...readdirSync(`${root}test`)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`),
  'test/auth',
  'test/checks',
  'test/crypto',
  'test/lib',
  'test/stores/memory',
  'test/stores/local-cache',
  'test/testing',
]

/** Gigabytes and floods, which try our own code and take minutes: the main run has them. */
const HEAVY = /^(bodies-fuzz|http2-memory|idle-senders|waiting-memory)\.slow\.test/

const ADAPTERS = readdirSync(`${root}test/adapters`)
  .filter((name) => name.endsWith('.test.ts') && !HEAVY.test(name))
  .map((name) => `test/adapters/${name}`)

/** The requests to every target, the tests of the two adapters that run on every runtime, and those beside an old check. */
const MATRIX = ADAPTERS.filter(
  (path) =>
    /web\.test|fuzz\.test|observe\.test/.test(path) ||
    readFileSync(`${root}${path}`, 'utf8').includes('describeMatrix('),
)

/** Sent from Node to workerd. Without the source addresses, because a bare worker cannot see any. */
const TO_WORKERD = MATRIX.filter((path) => !/web\.test|source\.test|observe\.test/.test(path))

/** With modules that files share, tests fail at random on Bun, and hang on Deno. */
const ON_NODE = ['--project', 'node', '--project', 'rest', '--isolate']

/** Suites by name. `run` returns { passed, failed, skipped, failures }. */
export const SUITES = {
  logic: {
    runsOn: () => true,
    run: ({ runtime }) => (runtime === 'workerd' ? vitestInWorkerd() : vitest(runtime, LOGIC)),
  },
  wire: { runsOn: () => true, run: ({ runtime }) => wire(runtime) },
  package: { runsOn: () => true, run: runPackage },
  types: { runsOn: (runtime) => RUNTIMES[runtime].engine !== 'node', run: ({ runtime }) => compile(runtime) },
}

/** The tests run inside workerd, and their runner runs on any Node. */
async function vitestInWorkerd() {
  return report(process.execPath, [], ['--project', 'workerd'], {})
}

function wire(runtime) {
  if (runtime === 'workerd') {
    return report(process.execPath, [], [...ON_NODE, ...TO_WORKERD], { HOOKGATE_RUNTIME: runtime })
  }
  return vitest(runtime, MATRIX)
}

function vitest(runtime, files) {
  const { binary, arguments: before } = RUNTIMES[runtime]
  return report(binary, before, [...ON_NODE, ...files], { HOOKGATE_RUNTIME: runtime })
}

/** Runs vitest and reads its report. */
async function report(binary, before, after, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  const path = join(folder, 'report.json')
  const reporters = ['--reporter=json', `--outputFile=${path}`]
  try {
    const { code, output } = await runIn(
      root,
      binary,
      [...before, VITEST, 'run', ...reporters, ...after],
      environment,
    )
    if (!existsSync(path)) return crashed(code, output)
    return counted(JSON.parse(readFileSync(path, 'utf8')), code, output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function counted({ numPassedTests, numFailedTests, testResults }, code, output) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failures = [
    ...tests
      .filter(({ status }) => status === 'failed')
      .map(
        ({ fullName, failureMessages }) =>
          `${fullName}\n    ${failureMessages.join('\n').split('\n').slice(0, 3).join('\n    ')}`,
      ),
    ...testResults
      .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
      .map(({ name, message }) => `${name}: ${message}`),
  ]
  if (code !== 0 && failures.length === 0) return crashed(code, output)
  const failed = Math.max(numFailedTests, failures.length)
  return { passed: numPassedTests, failed, skipped: tests.length - numPassedTests - numFailedTests, failures }
}

/** The example for a platform, compiled with the platform's own types. */
async function compile(runtime) {
  const project = `${root}test/suites/runtimes/types/tsconfig.${runtime}.json`
  const { code, output } = await runIn(root, process.execPath, [TSC, '-p', project])
  return code === 0 ? { passed: 1, failed: 0, skipped: 0, failures: [] } : crashed(code, output)
}

/** The run failed, but no test says so. */
function crashed(code, output) {
  return { passed: 0, failed: 1, skipped: 0, failures: [`exit ${code}: ${output.slice(-3000)}`] }
}
