/**
 * Writes the vectors as a release has them: `node tools/vectors-archive.mjs <folder>`. Each case gets its verdict of test/vectors/verdicts.json.
 * The same input gives the same files. `SHA256SUMS` names them all, and a checksum lies beside the archive.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder = '.'] = process.argv.slice(2)
const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const read = (name) => readFileSync(pathOf(name))
const json = (name) => JSON.parse(read(name).toString())
const { version } = json('package.json')
const name = `hookgate-vectors-${version}`
const SCHEMES = 'test/vectors/schemes'

const verdicts = json('test/vectors/verdicts.json')

/** @returns the file of a scheme, with a verdict in each case. */
function withVerdicts(file) {
  const vectors = json(`${SCHEMES}/${file}`)
  const all = verdicts[vectors.scheme] ?? []
  if (all.length !== vectors.cases.length) throw new Error(`${file} has other cases: npm run docs:verdicts`)
  const cases = vectors.cases.map((each, index) => ({ ...each, verdict: all[index] }))
  return `${JSON.stringify({ ...vectors, cases }, null, 1)}\n`
}

const files = new Map(
  readdirSync(pathOf(SCHEMES)).map((file) => [
    `vectors/${file}`,
    file === 'handshakes.json' ? read(`${SCHEMES}/${file}`) : withVerdicts(file),
  ]),
)
files.set('vectors.schema.json', read('test/vectors/vectors.schema.json'))
for (const file of ['schemes.json', 'schemes.schema.json']) files.set(file, read(`docs/schemes/${file}`))
files.set('README.md', read('languages/README.md'))
files.set('LICENSE', read('LICENSE'))

const sumOf = (bytes) => createHash('sha256').update(bytes).digest('hex')
files.set('SHA256SUMS', [...files].map(([file, bytes]) => `${sumOf(bytes)}  ${file}\n`).join(''))

const root = join(folder, name)
mkdirSync(join(root, 'vectors'), { recursive: true })
for (const [file, bytes] of files) writeFileSync(join(root, file), bytes)
const archive = `${name}.tar.gz`
const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
const made = spawnSync('tar', [...same, '-C', folder, '-czf', join(folder, archive), name], {
  stdio: 'inherit',
})
if (made.status !== 0) throw new Error('tar failed')
rmSync(root, { recursive: true })
writeFileSync(
  join(folder, `${archive}.sha256`),
  `${sumOf(readFileSync(join(folder, archive)))}  ${archive}\n`,
)
console.log(join(folder, archive))
