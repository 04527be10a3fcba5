import type { MarkdownRenderer } from 'vitepress'

const ROLES: { readonly [type: string]: string } = {
  table_open: 'table',
  thead_open: 'rowgroup',
  tbody_open: 'rowgroup',
  tr_open: 'row',
  th_open: 'columnheader',
  td_open: 'cell',
}

/** Names the column in each cell: on a phone, style.css shows each row as a card. It lays out the table as blocks, so roles say what it is. */
export function nameCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('name-cells', ({ tokens }) => {
    let heads: string[] = []
    let column = 0
    for (const [at, token] of tokens.entries()) {
      const role = ROLES[token.type]
      if (role !== undefined) token.attrSet('role', role)
      if (token.type === 'table_open') heads = []
      if (token.type === 'tr_open') column = 0
      if (token.type === 'th_open')
        heads.push((tokens[at + 1]?.content ?? '').replaceAll(/[`*]|\]\([^)]*\)|\[/g, ''))
      if (token.type === 'td_open') {
        token.attrSet('data-label', heads[column] ?? '')
        column += 1
      }
    }
  })
}
