import { button, copy } from './actions.js'
import { bytesOf, element, hex, isPlain, isText, part, pretty, textOf, visible } from './text.js'

/** The view that the reader chose last, kept from one delivery to the next. */
let preferred = 'Pretty'
let radios = 0

/** A body, with a choice of views. */
export function bodyPart(title, { body, bytes, kept = bytes, truncated, isCut }, type) {
  const received = bytesOf(body)
  if (received.length === 0) return part(title, element('p', 'quiet', truncated ? 'Not read.' : 'Empty.'))
  const text = textOf(received)
  const ways = {
    'As received': () => visible(text),
    Pretty: () => pretty(text, type),
    Hex: () => [hex(received)],
  }
  if (!isText(received)) delete ways.Pretty
  const box = element('pre', '')
  box.tabIndex = 0
  const show = (way) => {
    const nodes = ways[way]?.() ?? visible(text)
    const fragment = document.createDocumentFragment()
    for (const node of nodes) fragment.append(node)
    box.classList.toggle('hex', way === 'Hex')
    box.replaceChildren(fragment)
  }
  const first = preferred in ways ? preferred : 'Hex'
  show(first)
  const of = `of ${bytes.toLocaleString('en')} bytes`
  const note = isCut
    ? `The first 256 KB ${of}.${truncated ? ` ${kept.toLocaleString('en')} were kept.` : ''}`
    : truncated
      ? `${kept.toLocaleString('en')} ${of} were kept.`
      : ''
  const problem =
    isCut || !isPlain(received) ? 'Not plain text, or too long: export the deliveries instead.' : ''
  const copier = button('Copy', problem, 'Copy it as received', () =>
    copy(text, `Copied: ${title.toLowerCase()}`),
  )
  copier.ariaLabel = `Copy ${title.toLowerCase()}`
  const views = chooser(title, Object.keys(ways), first, show)
  return part(title, box, views, copier, element('span', 'quiet', note))
}

function chooser(title, names, first, show) {
  radios += 1
  const group = `way-${radios}`
  const options = names.map((name) => {
    const input = element('input', '')
    Object.assign(input, { type: 'radio', name: group, checked: name === first })
    input.addEventListener('change', () => {
      preferred = name
      show(name)
    })
    return element('label', '', input, name)
  })
  const set = element('fieldset', '', ...options)
  set.ariaLabel = `Show ${title.toLowerCase()}`
  return set
}
