import type { MarkdownRenderer } from 'vitepress'

type Tokens = ReturnType<MarkdownRenderer['parse']>
type Token = Tokens[number]

/** The frameworks of the switch, in its order. Without a choice, and without JavaScript, the first is shown. */
export const FRAMEWORKS = ['Express', 'Fastify', 'Hono', 'Next.js'] as const

const OPENS = /^<details>\s*<summary>(Fastify|Hono|Next\.js)<\/summary>/
const CLOSES = /^<\/details>/

/**
 * Makes a switch of a program for Express that `<details>` for the other frameworks follow. What stands between the heading and the
 * first of them is for Express. GitHub shows the same text as it is written.
 */
export function switchFrameworks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('switch-frameworks', (state) => {
    for (let at = 0, group = 0; at < state.tokens.length; at += 1) {
      if (!OPENS.test(contentOf(state.tokens, at))) continue
      const start = startOf(state.tokens, at)
      const parts = [{ name: 'Express', tokens: state.tokens.slice(start, at) }]
      let end = at
      for (let name = nameAt(state.tokens, end); name !== undefined; name = nameAt(state.tokens, end)) {
        const close = state.tokens.findIndex(
          (_, index) => index > end && CLOSES.test(contentOf(state.tokens, index)),
        )
        if (close < 0) throw new Error(`${state.env.path}: <details> of ${name} is not closed`)
        parts.push({ name, tokens: state.tokens.slice(end + 1, close) })
        end = close + 1
      }
      const html = (content: string): Token =>
        Object.assign(new state.Token('html_block', '', 0), { content })
      const made = [
        html(
          `<div class="frameworks">${radios(
            parts.map(({ name }) => name),
            group,
          )}`,
        ),
        ...parts.flatMap(({ name, tokens }) => [
          html(`<section data-framework="${name}" aria-label="${name}">`),
          ...tokens,
          html('</section>'),
        ]),
        html('</div>'),
      ]
      state.tokens.splice(start, end - start, ...made)
      at = start + made.length - 1
      group += 1
    }
  })
}

const contentOf = (tokens: Tokens, at: number) =>
  tokens[at]?.type === 'html_block' ? tokens[at].content : ''
const nameAt = (tokens: Tokens, at: number) => OPENS.exec(contentOf(tokens, at))?.[1]

/** Where Express begins: behind the heading, or the HTML, before it. */
function startOf(tokens: Tokens, at: number): number {
  const before = tokens
    .slice(0, at)
    .findLastIndex(({ type }) => type === 'heading_close' || type === 'html_block')
  return before + 1
}

/**
 * Radio buttons work without JavaScript. In a form of their own, which submits nothing, they are a group apart from those that an
 * excerpt among the results of a search has.
 */
function radios(names: readonly string[], group: number): string {
  const choices = names.map(
    (name, at) =>
      `<label><input type="radio" name="framework-${group}" value="${name}"${at === 0 ? ' checked' : ''}> ${name}</label>`,
  )
  return `<form method="dialog"><fieldset><legend>Framework</legend>${choices.join('')}</fieldset></form>`
}
