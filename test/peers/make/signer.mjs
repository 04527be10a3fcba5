import { spell } from './spelling.mjs'

/** Where the SDK can sign, its signature over our sample has to be ours. */
export async function holdToSigner(recipe, deliver) {
  const { sign } = await import(`../senders/${recipe.scheme}.mjs`)
  if (!sign || !recipe.signature) return
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
}
