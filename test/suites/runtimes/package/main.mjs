/** Run by Node, Bun and Deno in a project with the package and its peers. */
import { createRequire } from 'node:module'
import { cases } from './cases.mjs'
import { equal, runCases } from './equal.mjs'
import { facts } from './facts.mjs'
import { fixture } from './fixture.mjs'
import { servers } from './servers.mjs'

const required = {
  'require(esm) gives the same names': async () => {
    const names = Object.keys(await import('hookgate')).sort()
    const asRequired = Object.keys(createRequire(import.meta.url)('hookgate')).filter((name) =>
      names.includes(name),
    )
    equal(asRequired.sort(), names)
  },
}

const results = await runCases({ ...cases, ...servers, ...required, ...facts })
console.log(`${fixture.mark}${JSON.stringify(results)}`)
process.exit(0)
