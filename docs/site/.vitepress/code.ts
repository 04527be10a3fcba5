import type { MarkdownOptions, MarkdownRenderer } from 'vitepress'

/** The longest text that a phone shows in a line. */
const LONGEST = 24

/** An option of a command, such as `--data` or the name in `--repo=OWNER/NAME`. */
const OPTION = /(?<![\w-])(--?[a-z][a-z-]*)/gi

/** Keeps short pieces of code in a line, such as `--event-id`, and folds longer ones between and within their words. */
export function keepCodeWhole(markdown: MarkdownRenderer): void {
  markdown.renderer.rules.code_inline = (tokens, at, _options, _env, renderer) => {
    const token = tokens[at]
    if (token === undefined) return ''
    const html = markdown.utils.escapeHtml(token.content)
    if (token.content.length > LONGEST)
      return `<code${renderer.renderAttrs(token)}>${html.replaceAll(/[^ ]+/g, folded)}</code>`
    token.attrJoin('class', 'whole')
    return `<code${renderer.renderAttrs(token)}>${html}</code>`
  }
}

/** A long name is broken before a dot, and a short one that has a hyphen, or an option, not at all. */
function folded(word: string): string {
  if (word.length > LONGEST)
    return word.replaceAll(OPTION, whole('$1')).replaceAll(/(?<=[\w)])\.(?=[a-z])/gi, '<wbr>.')
  return word.includes('-') ? whole(word) : word
}

const whole = (text: string) => `<span class="whole">${text}</span>`

type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number]

/** For code whose lines style.css breaks: how far each is indented, and a mark on options such as `--data`. */
export const foldLines: Transformer = {
  line(node) {
    const [first] = node.children
    const [start] = first?.type === 'element' ? first.children : []
    const indent = start?.type === 'text' ? start.value.search(/[^ ]|$/) : 0
    if (indent > 0) node.properties.style = `--indent: ${indent}ch`
  },
  span(node) {
    const [text] = node.children
    if (text?.type !== 'text') return
    node.children = text.value.split(OPTION).map((part, at) =>
      at % 2 === 0
        ? { type: 'text', value: part }
        : {
            type: 'element',
            tagName: 'span',
            properties: { class: 'whole' },
            children: [{ type: 'text', value: part }],
          },
    )
  },
}
