/** Run by Node, Bun and Deno in a project with the package and nothing else. */
import { equal, runCases } from './equal.mjs'
import { fixture } from './fixture.mjs'

const missing = async (name) => {
  const error = await import(name).then(
    () => undefined,
    (thrown) => thrown,
  )
  equal(error === undefined, false)
}

const results = await runCases({
  'the peers are really missing, and hookgate/otel is nothing without its own': async () => {
    for (const name of [...fixture.peers, 'hookgate/otel']) await missing(name)
  },
  ...Object.fromEntries(
    fixture.subpaths
      .filter((subpath) => subpath !== 'hookgate/otel')
      .map((subpath) => [
        `import ${subpath} without any peer`,
        async () => equal(Object.keys(await import(subpath)).length > 0, true),
      ]),
  ),
})
console.log(`${fixture.mark}${JSON.stringify(results)}`)
process.exit(0)
