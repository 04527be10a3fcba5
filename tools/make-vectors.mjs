/**
 * Writes test/vectors/schemes/*.json: `node tools/make-vectors.mjs [scheme…]`. The same input gives the same
 * files. `node:crypto` signs as the senders' documents say. Where the SDK can sign too, both signatures must be equal.
 * The SDK judges every case.
 */
import { writeFileSync } from 'node:fs'
import { deliver } from './vectors/deliver.mjs'
import { handshakes, serialiseHandshakes } from './vectors/handshakes.mjs'
import { recipes } from './vectors/recipes.mjs'
import { serialise } from './vectors/serialise.mjs'
import { holdToSigner } from './vectors/signer.mjs'
import { vectorsOf } from './vectors/vectors.mjs'

const folder = new URL('../test/vectors/schemes/', import.meta.url)
const wanted = new Set(process.argv.slice(2))

for (const recipe of recipes) {
  if (wanted.size > 0 && !wanted.has(recipe.scheme)) continue
  if (recipe.sdk) await holdToSigner(recipe, deliver)
  const vectors = await vectorsOf(recipe)
  writeFileSync(new URL(`${recipe.scheme}.json`, folder), serialise(vectors))
  const unexplained = vectors.cases.filter(({ why }) => why?.startsWith('UNEXPLAINED'))
  console.log(`${recipe.scheme}: ${vectors.cases.length} cases`)
  for (const { name, why } of unexplained) console.log(`  ${name}: ${why}`)
  if (unexplained.length > 0) process.exitCode = 1
}

if (wanted.size === 0) {
  writeFileSync(new URL('handshakes.json', folder), serialiseHandshakes(handshakes))
  console.log(`handshakes: ${handshakes.length}`)
}
// Some of the SDKs would keep the process alive.
process.exit()
