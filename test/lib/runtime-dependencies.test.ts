import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly scripts?: { readonly [name: string]: string }
  readonly dependencies?: { readonly [name: string]: string }
  readonly optionalDependencies?: object
  readonly bundledDependencies?: readonly string[]
}

const root = new URL('../../', import.meta.url)

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${path}package.json`, root), 'utf8'))
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']
const own = manifestOf('')
const dependencies = Object.keys(own.dependencies ?? {})

describe('the dependencies of the package', () => {
  it('the package has three runtime dependencies, each behind the entry point that needs it', () => {
    expect(dependencies.sort()).toStrictEqual(['fastify-plugin', 'jose', 'lru-cache'])
  })

  it.each(dependencies)('%s depends on nothing and runs nothing when it is installed', (name) => {
    const {
      scripts = {},
      dependencies: further = {},
      optionalDependencies = {},
    } = manifestOf(`node_modules/${name}/`)
    expect({ ...further, ...optionalDependencies }).toStrictEqual({})
    expect(Object.keys(scripts).filter((script) => /^(pre|post)?install$/.test(script))).toStrictEqual([])
    expect(existsSync(new URL(`node_modules/${name}/binding.gyp`, root))).toBe(false)
  })

  it('the package runs nothing when it is installed itself', () => {
    expect(INSTALL_SCRIPTS.filter((name) => name in (own.scripts ?? {}))).toStrictEqual([])
    expect(own.bundledDependencies ?? own.optionalDependencies).toBeUndefined()
  })
})
