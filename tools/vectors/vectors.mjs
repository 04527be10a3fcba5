import { readFileSync } from 'node:fs'
import { ask } from '../../test/suites/peers/senders/ask.mjs'
import { senderOf } from '../../test/suites/peers/senders/sender-of.mjs'
import { bodyCases } from './body-cases.mjs'
import { writtenCase } from './case.mjs'
import { contentTypeCases, idCases, methodCases, secretCases, urlCases } from './identity-cases.mjs'
import { installed } from './installed.mjs'
import { bothOf } from './keys.mjs'
import { listCases, signatureCases } from './signature-cases.mjs'
import { timeCases } from './time-cases.mjs'

const versionOf = (name) => JSON.parse(readFileSync(installed(`${name}/package.json`), 'utf8')).version

export const bothSecrets = ({ keys }) => ({ secrets: bothOf(keys) })

const honest = { name: 'a delivery as the sender makes it', change: {}, expect: { ok: true } }

/** The cases of a signed row, unless its recipe brings its own. */
function casesOf(recipe) {
  if (recipe.cases) return recipe.cases(recipe)
  const all = [
    honest,
    ...secretCases(recipe),
    ...(recipe.ownBodies ? [] : bodyCases(recipe)),
    ...signatureCases(recipe),
    ...listCases(recipe),
    ...timeCases(recipe),
    ...idCases(recipe),
    ...urlCases(recipe),
    ...contentTypeCases(recipe),
    ...methodCases(),
    ...(recipe.moreCases?.(recipe) ?? []),
  ]
  const dropped = new Set(recipe.without ?? [])
  return all.filter(({ skip, name }) => !skip && !dropped.has(name))
}

function reasonFor(recipe, given, verdict) {
  const agreed = (verdict === 'accepts') === given.expect.ok
  if (verdict === 'not asked' || agreed) return undefined
  const why =
    recipe.why?.[given.name] ?? recipe.whyAll?.[verdict] ?? (verdict === 'accepts' ? given.lax : given.strict)
  return why ?? `UNEXPLAINED: the SDK ${verdict}`
}

/** Makes one file of vectors: every case, with the SDK's verdict. */
export async function vectorsOf(recipe, askSdk = ask) {
  const sender = recipe.sdk && (await senderOf(recipe.scheme, recipe.sdk))
  const head = {
    scheme: recipe.scheme,
    madeWith: recipe.sdk ? `${recipe.sdk} ${versionOf(recipe.sdk)}` : 'documentation',
    ...(recipe.source && { source: recipe.source }),
    options: recipe.options ?? bothSecrets(recipe),
    now: recipe.now,
    ...(recipe.fetches && { fetches: recipe.fetches }),
  }
  const cases = []
  for (const given of casesOf(recipe)) {
    const written = writtenCase(recipe, given)
    const sdk = sender && !given.notAsked ? await askSdk(sender, head, written) : 'not asked'
    const why = reasonFor(recipe, given, sdk)
    cases.push({ ...written, sdk, ...(why && { why }) })
  }
  return { ...head, cases, notApplicable: recipe.notApplicable ?? {} }
}
