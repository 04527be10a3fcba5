import { defineComponent, h, onMounted, shallowRef, watch } from 'vue'
import { foundSenders, namesIn } from './found-senders.ts'

/** The list that follows in the page. */
const listAfter = (element: Element | undefined) =>
  Array.from(element?.nextElementSibling?.children ?? []).filter((item) => item instanceof HTMLElement)

/**
 * Filters the list of senders below it, by what the reader types. It renders nothing on the server: without JavaScript, a reader has
 * the list alone.
 */
export const SenderFinder = defineComponent(() => {
  const root = shallowRef<Element>()
  const items = shallowRef<readonly HTMLElement[]>([])
  const typed = shallowRef('')
  const says = shallowRef('')

  onMounted(() => {
    items.value = listAfter(root.value)
  })
  watch(typed, () => {
    const found = foundSenders(
      typed.value,
      items.value.map((item) => namesIn(item.innerHTML).replaceAll(/<[^>]*>/g, '')),
    )
    for (const [at, item] of items.value.entries()) item.hidden = !found.has(at)
    says.value = typed.value.trim() === '' ? '' : found.size === 1 ? '1 sender' : `${found.size} senders`
    if (found.size === 0)
      says.value = 'No sender has this name: describe how it signs, as a scheme of your own.'
  })

  const read = ({ target }: Event) => {
    if (target instanceof HTMLInputElement) typed.value = target.value
  }
  const field = () =>
    h('input', {
      type: 'search',
      placeholder: 'Type a name',
      autocomplete: 'off',
      spellcheck: 'false',
      onInput: read,
      onSearch: read, // Escape, which empties the field, tells this alone
    })
  return () =>
    h(
      'div',
      { class: 'finder', ref: root },
      items.value.length === 0
        ? []
        : [h('label', ['Sender', field()]), h('p', { role: 'status' }, says.value)],
    )
})
