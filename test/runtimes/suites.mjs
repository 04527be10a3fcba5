import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runPackage } from './package/suite.mjs'
import { runIn } from './processes.mjs'
import { installLocked, RUNTIMES } from './runtimes.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TSC = `${root}node_modules/typescript/bin/tsc`
const VITEST = `${root}node_modules/vitest/vitest.mjs`

/**
 * Everything that decides. Left out: the engines of the stores and the races of processes, the command line, packaging
 * and the service, none of which depends on what an edge runtime runs, and all of which the main run has on Node.
 */
const LOGIC = [
  'test/runtimes/engine.test.ts',
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

const ADAPTERS = readdirSync(`${root}test/adapters`)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/adapters/${name}`)

/** What is sent to every target, and the tests of the two adapters that run elsewhere than on Node. */
const MATRIX = ADAPTERS.filter(
  (path) =>
    /web\.test|fuzz\.test/.test(path) || readFileSync(`${root}${path}`, 'utf8').includes('describeMatrix('),
)

/** Sent from Node to workerd. Not the source addresses: nothing shows one to a bare worker. */
const TO_WORKERD = MATRIX.filter((path) => !/web\.test|source\.test/.test(path))

const ON_NODE = ['--project', 'node', '--project', 'rest']

/** Suites by name. `run` gives { passed, failed, skipped, failures }. */
export const SUITES = {
  logic: {
    runsOn: () => true,
    run: ({ runtime }) => (runtime === 'workerd' ? vitestInWorkerd() : vitest(runtime, LOGIC)),
  },
  wire: { runsOn: () => true, run: ({ runtime }) => wire(runtime) },
  package: { runsOn: () => true, run: runPackage },
  types: { runsOn: (runtime) => RUNTIMES[runtime].engine !== 'node', run: ({ runtime }) => compile(runtime) },
}

/** There the tests run inside of workerd, and their runner on whatever Node this is. */
async function vitestInWorkerd() {
  if (!existsSync(`${root}test/workerd/node_modules`)) installLocked(`${root}test/workerd`)
  return report(process.execPath, [], ['--project', 'workerd'], {})
}

function wire(runtime) {
  if (runtime === 'workerd') {
    return report(process.execPath, [], [...ON_NODE, ...TO_WORKERD], { HOOKGATE_RUNTIME: runtime })
  }
  return vitest(runtime, RUNTIMES[runtime].engine === 'node' ? ADAPTERS : MATRIX)
}

function vitest(runtime, files) {
  const { binary, arguments: before } = RUNTIMES[runtime]
  return report(binary, before, [...ON_NODE, ...files], { HOOKGATE_RUNTIME: runtime })
}

/** Runs vitest, and reads what it reports. */
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

/** The example for a platform, with the platform's own types. */
async function compile(runtime) {
  const project = `${root}test/runtimes/types/tsconfig.${runtime}.json`
  const { code, output } = await runIn(root, process.execPath, [TSC, '-p', project])
  return code === 0 ? { passed: 1, failed: 0, skipped: 0, failures: [] } : crashed(code, output)
}

/** The run ended badly without a test that says so. */
function crashed(code, output) {
  return { passed: 0, failed: 1, skipped: 0, failures: [`exit ${code}: ${output.slice(-3000)}`] }
}
