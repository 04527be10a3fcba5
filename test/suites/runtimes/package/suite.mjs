import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { runIn } from '../processes.mjs'
import { RUNTIMES } from '../runtimes.mjs'

/** The build of `#crypto` that each engine must choose. */
const CRYPTO = { node: 'node', bun: 'node', deno: 'node', workerd: 'web' }

const FACTS = JSON.parse(readFileSync(new URL('facts.json', import.meta.url), 'utf8'))

const requireInstalled = createRequire(new URL('../package.json', import.meta.url))

/** Runs the cases on a runtime, in the projects of `packProject`. */
export async function runPackage({ runtime, project }) {
  const { engine } = RUNTIMES[runtime]
  const fixture = { ...project.fixture, crypto: CRYPTO[engine], facts: FACTS[runtime] ?? {} }
  for (const folder of [project.bare, project.full]) {
    writeFileSync(join(folder, 'fixture.mjs'), `export const fixture = ${JSON.stringify(fixture)}\n`)
  }
  if (engine === 'workerd') return counted([await onWorkerd(project.full, fixture)], fixture)
  const { binary, arguments: before } = RUNTIMES[runtime]
  const start = (folder, script) => runIn(folder, binary, [...before, script])
  return counted([await start(project.bare, 'bare.mjs'), await start(project.full, 'main.mjs')], fixture)
}

function counted(runs, { mark }) {
  const tests = runs.flatMap(({ code, output }) => {
    const line = output.split('\n').find((text) => text.includes(mark))
    const results = line ? JSON.parse(line.slice(line.indexOf(mark) + mark.length)) : []
    const ended = code === 0 && line !== undefined
    return ended
      ? results
      : [...results, { name: `exit ${code}`, passed: false, message: output.slice(-3000) }]
  })
  const failures = tests.filter(({ passed }) => !passed).map(({ name, message }) => `${name}\n    ${message}`)
  return { passed: tests.length - failures.length, failed: failures.length, skipped: 0, failures }
}

/** Fastify and the sender's connections need Node's streams, and what stops a server needs one of Node's. */
const NODE_ONLY = ['hookgate/fastify', 'hookgate/sender', 'hookgate/stop']

/** Bundles like a bundler for Workers. Imports from Node stay imports, and fail there. */
async function onWorkerd(folder, { subpaths }) {
  const lines = subpaths
    .filter((subpath) => !NODE_ONLY.includes(subpath))
    .map((subpath, index) => [`import * as m${index} from '${subpath}'`, `'${subpath}': m${index},`])
  const text = `${lines.map(([line]) => line).join('\n')}\nexport const subpaths = {${lines.map(([, row]) => row).join('')}}\n`
  writeFileSync(join(folder, 'subpaths.mjs'), text)
  const { build } = requireInstalled('esbuild') // installed by now, but not when this file was imported
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['worker.mjs'],
    outfile: 'bundle.js',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    metafile: true,
    logLevel: 'silent',
  })
  const wrong = Object.keys(metafile.inputs).filter((input) => input.endsWith('crypto/node.js'))
  if (wrong.length > 0) return { code: 1, output: `the bundle holds ${wrong}` }
  writeFileSync(join(folder, 'workerd.capnp'), WORKERD)
  return runIn(folder, RUNTIMES.workerd.binary, ['test', 'workerd.capnp'])
}

/** The date matters: with a later month of 2026, Node's modules exist without a flag. */
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "bundle.js", esModule = embed "bundle.js")],
      compatibilityDate = "2026-03-01",
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["local"])),
  ],
);
`
