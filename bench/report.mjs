// Updates README.md and the plots from results/*.json: node report.mjs. Called by "npm run bench -- --write".
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { plot } from './plot.mjs'
import { tables } from './tables.mjs'

const folder = new URL('results/', import.meta.url)
const readme = new URL('README.md', import.meta.url)
const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))

/** Replaces the text between a suite's two marks. */
function section(suite) {
  return runs
    .filter((run) => run[suite])
    .map(
      ({ [suite]: { node, rounds, rows } }) =>
        `Node ${node.slice(1)}, ${rounds} rounds:\n\n${tables[suite](rows)}\n`,
    )
    .join('\n')
}

const MARKED = /(<!-- (\w+) -->\n)[\s\S]*?(<!-- end -->)/g
const text = readFileSync(readme, 'utf8')
writeFileSync(
  readme,
  text.replace(MARKED, (_, start, suite, end) => `${start}\n${section(suite)}\n${end}`),
)
writeFileSync(new URL('results/speed.svg', import.meta.url), plot(runs))
