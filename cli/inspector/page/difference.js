import { element, part, visible } from './text.js'

/** What the delivery changes of the last accepted one of the same ID. Nothing for an accepted one that changes no byte. */
export function differencePart({ difference, verdict }) {
  if (!difference) return []
  const { seq, changes, hasMore, isPartial, headers } = difference
  if (verdict === 'accepted' && changes.length === 0) return []
  const notes = [
    ...(changes.length === 0 ? ['The body is the same, byte for byte.'] : []),
    ...(hasMore ? ['There are more changes than these.'] : []),
    ...(isPartial ? ['Only what was kept of the bodies is compared.'] : []),
    ...(headers.length === 0 ? [] : ['Headers that differ, hidden ones aside:']),
  ]
  const list = element(
    'ul',
    'diff mono',
    ...changes.map(({ at, before, was, is, after }) =>
      element(
        'li',
        '',
        element('span', 'quiet', `byte ${at.toLocaleString('en')} `),
        ...visible(before),
        ...changed(was, is),
        ...visible(after),
      ),
    ),
    ...notes.map((note) => element('li', 'note', note)),
    ...headers.map(({ name, was, is }) =>
      element('li', '', element('span', 'quiet', ...visible(name), ': '), ...changed(was, is)),
    ),
  )
  return [part(`Difference to #${seq}, accepted with the same ID`, list)]
}

function changed(was, is) {
  const nodes = [
    ['del', was],
    ['ins', is],
  ]
  return nodes.filter(([, text]) => text).map(([tag, text]) => element(tag, '', ...visible(text)))
}
