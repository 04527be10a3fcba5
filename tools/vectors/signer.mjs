import { senderOf } from '../../test/suites/peers/senders/sender-of.mjs'
import { spell } from './spelling.mjs'

/** If the SDK can sign, its signature over our sample must equal ours. Resolves to whether it can. */
export async function holdToSigner(recipe, deliver) {
  const { sign } = await senderOf(recipe.scheme, recipe.sdk)
  if (!sign || !recipe.signature) return false
  let ours
  let context
  const watched = {
    ...recipe,
    signature: {
      ...recipe.signature,
      sign: (signed) => {
        context = signed
        return recipe.signature.sign(signed)
      },
    },
  }
  deliver(watched, {
    spelling: (raw) => {
      ours = spell(raw, recipe.signature.encoding)
      return ours
    },
  })
  const theirs = await sign(context)
  if (!theirs.endsWith(ours)) throw new Error(`${recipe.scheme}: the SDK signs ${theirs}, we sign ${ours}`)
  return true
}
