import type { MarkdownRenderer } from 'vitepress'

/** The longest text that a phone shows in a line. */
const LONGEST = 24

/** Keeps short pieces of code in a line, such as `--event-id`, and within longer ones each short word that has a hyphen. */
export function keepCodeWhole(markdown: MarkdownRenderer): void {
  markdown.renderer.rules.code_inline = (tokens, at, _options, _env, renderer) => {
    const token = tokens[at]
    if (token === undefined) return ''
    const html = markdown.utils.escapeHtml(token.content)
    if (token.content.length > LONGEST)
      return `<code${renderer.renderAttrs(token)}>${html.replaceAll(/[^ ]*-[^ ]*/g, wholeWord)}</code>`
    token.attrJoin('class', 'whole')
    return `<code${renderer.renderAttrs(token)}>${html}</code>`
  }
}

const wholeWord = (word: string) => (word.length > LONGEST ? word : `<span class="whole">${word}</span>`)
