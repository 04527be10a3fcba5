import { bytesOf, element, hex, isText, part, pretty, textOf, visible } from './text.js'

/** The view that the reader chose last, kept from one delivery to the next. */
let preferred = 'Pretty'
let radios = 0

/** A body, with a choice of views. */
export function bodyPart(title, { body, bytes, truncated, isCut }, type) {
  const received = bytesOf(body)
  if (bytes === 0) return part(title, element('p', 'quiet', truncated ? 'Not read.' : 'Empty.'))
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
  const note = isCut
    ? `The first 256 KB of ${bytes.toLocaleString('en')} bytes.`
    : truncated
      ? 'Not kept in full.'
      : ''
  return part(title, box, chooser(title, Object.keys(ways), first, show), element('span', 'quiet', note))
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
