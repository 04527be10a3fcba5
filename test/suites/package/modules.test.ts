import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { subpaths as all, root, specifierOf } from './manifest.ts'
import { nodes } from './nodes.ts'

/** Only `hookgate/otel` imports a peer at run time. */
const subpaths = all.filter((subpath) => subpath !== './otel')

/** A program that prints the names that each subpath exports. */
const printNames = (load: string) => `
  const names = {}
  for (const specifier of ${JSON.stringify(subpaths.map(specifierOf))}) {
    names[specifier] = Object.keys(${load}(specifier)).filter((name) => name !== '__esModule').sort()
  }
  console.log(JSON.stringify(names))`

const AS_MODULE = printNames('await import')
const AS_COMMONJS = printNames('require')

/** Node 22.12 warns of every `require()` of an ES module. Later versions do not. */
const OF_22_12 =
  /^\(node:\d+\) ExperimentalWarning: CommonJS module .* is loading ES Module .* using require\(\)\.\n.*\n.*\n/

async function run(node: string, cwd: string, type: 'module' | 'commonjs', program: string) {
  const args = [`--input-type=${type}`, '--eval', program]
  const { stdout, stderr } = await promisify(execFile)(node, args, { cwd })
  return { names: JSON.parse(stdout), stderr }
}

describe.each(nodes)('on Node $version, with nothing else installed', ({ binary, version }) => {
  it('every subpath can be imported, and exports what the repository exports', async () => {
    const { names } = await run(process.execPath, root, 'module', AS_MODULE)
    expect(Object.keys(names)).toHaveLength(subpaths.length)
    expect(await run(binary, inject('bare'), 'module', AS_MODULE)).toEqual({ names, stderr: '' })
  })

  it('hookgate/otel names its missing peer', async () => {
    const load = run(binary, inject('bare'), 'module', `await import('hookgate/otel')`)
    await expect(load).rejects.toThrow("Cannot find package '@opentelemetry/api'")
  })

  it('every subpath can be required, without a warning', async () => {
    const { names } = await run(process.execPath, root, 'module', AS_MODULE)
    const required = await run(binary, inject('bare'), 'commonjs', AS_COMMONJS)
    const stderr = version.startsWith('22.12.') ? required.stderr.replace(OF_22_12, '') : required.stderr
    expect({ ...required, stderr }).toEqual({ names, stderr: '' })
  })

  it('subpaths alone can be imported', async () => {
    const reach = run(binary, inject('bare'), 'module', `await import('hookgate/dist/src/verify.js')`)
    await expect(reach).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})
