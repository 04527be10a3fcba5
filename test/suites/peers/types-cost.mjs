/**
 * What the senders' types cost the compiler: `npm run build && node test/suites/peers/types-cost.mjs`, after `npm run test:peers` has
 * installed the packages. Compiles examples/typed/app.ts with its type arguments, without them, and without them but with the
 * senders' packages imported. Prints the medians. docs/types.md has the totals.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROUNDS = 5
const root = fileURLToPath(new URL('../../..', import.meta.url))
const COMPILERS = {
  5.7: join(root, 'test/suites/peers/node_modules/typescript-5.7/bin/tsc'),
  '7.0': join(root, 'node_modules/typescript/bin/tsc'),
}

const typed = readFileSync(join(root, 'examples/typed/app.ts'), 'utf8')
// `Object(…)` is `any`: what the handlers read still compiles.
const untyped = typed
  .replaceAll(/<(?:Stripe\.Event|EventPayloadMap|SlackEnvelope<SlackEvent>)>/g, '')
  .replaceAll(/import type .*\n/g, '')
  .replace('type SlackEnvelope, ', '')
  .replaceAll(/\(\{ (?:type, )?payload.*?\) => /g, '({ type, ...event }) => ')
  .replaceAll('payload.', 'Object(event.payload).')
  .replace(/`\$\{action\}.*`/, 'Object(event.payload).issue.title')
const imported = `
import type { EventPayloadMap } from '@octokit/webhooks-types'
import type { SlackEvent } from '@slack/types'
import type Stripe from 'stripe'
export type Names = Stripe.Event['type'] | keyof EventPayloadMap | SlackEvent['type']
${untyped}`
const PROGRAMS = {
  'without type arguments': untyped,
  "the same, and the senders' packages imported": imported,
  'with type arguments': typed,
}

/** The figures of `--extendedDiagnostics`, by name. Throws if the program does not compile. */
function diagnosticsOf(tsc, source) {
  const folder = mkdtempSync(join(root, 'test/suites/peers/node_modules/.cost-'))
  try {
    writeFileSync(
      join(folder, 'app.ts'),
      source.replaceAll(/'hookgate(\/[^']+)?'/g, (_, path) => `'${dist(path)}'`),
    )
    const modules = { module: 'preserve', moduleResolution: 'bundler', target: 'es2023', types: ['node'] }
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, ...modules }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    const printed = execFileSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], {
      encoding: 'utf8',
    })
    const figures = printed.matchAll(/^(\w[\w ]+):\s+([\d.]+)/gm)
    return Object.fromEntries([...figures].map(([, name, value]) => [name, Number(value)]))
  } catch (error) {
    throw new Error(`${error.stdout}`, { cause: error })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function dist(path) {
  if (path === undefined) return join(root, 'dist/src/index.js')
  return join(root, 'dist', path === '/hono' ? 'adapters/hono.js' : `${path}.js`)
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

console.log('| TypeScript | program | files | instantiations | memory | check | total |')
console.log('|---|---|---|---|---|---|---|')
for (const [version, tsc] of Object.entries(COMPILERS)) {
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const runs = Array.from({ length: ROUNDS }, () => diagnosticsOf(tsc, source))
    const of = (figure) => median(runs.map((run) => run[figure]))
    const memory = `${Math.round(of('Memory used') / 1000)} MB`
    const seconds = (figure) => `${of(figure).toFixed(2)} s`
    const counts = `${of('Files')} | ${of('Instantiations')}`
    console.log(
      `| ${version} | ${name} | ${counts} | ${memory} | ${seconds('Check time')} | ${seconds('Total time')} |`,
    )
  }
}
