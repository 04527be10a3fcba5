import { type DeliveryDraft, garble, type Oddity } from './delivery-draft.ts'
import { ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'

/** A listener's networks, often none, and an address that they mostly allow. */
export function someNetworks(random: Random): { allowedCidrs?: readonly string[]; address?: string } {
  if (random.chance(0.5)) return {}
  const [rule = '', address = ''] = random.pick(ODD_TEXTS.networks)
  if (random.chance(0.12)) return { allowedCidrs: [random.pick(ODD_TEXTS.rules)], address }
  const [second = ''] = random.pick(ODD_TEXTS.networks)
  return { allowedCidrs: random.pick([[rule], [rule, second], [second, rule]]), address }
}

const source: Oddity<DeliveryDraft> = (draft, random) => {
  const text = random.pick(ODD_TEXTS.addresses)
  if (random.chance(0.1)) delete draft.sourceIp
  else draft.sourceIp = random.chance(0.8) ? text : garble(draft.sourceIp ?? text, random)
  return `source ${draft.sourceIp}`
}

export const ODD_SOURCES: readonly Oddity<DeliveryDraft>[] = [source]
