import { expect, it } from 'vitest'
import { visible } from '../../src/overview/visible.ts'

it.each([
  ['right to left', 'a\u202eb', 'a\\u{202e}b'],
  ['zero width', 'a\u200bb', 'a\\u{200b}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['a carriage return', 'a\rb', 'a\\u{d}b'],
  ['escape', '\u001b[31m', '\\u{1b}[31m'],
  ['a lone surrogate', 'a\ud800', 'a\\u{d800}'],
  ['a tag, beyond the first plane', '\u{e0041}', '\\u{e0041}'],
])('an invisible character is escaped: %s', (_name, text, shown) => {
  expect(visible(text)).toBe(shown)
})

it('visible characters, tabs and line feeds are kept', () => {
  const text = '{\n\t"naïve": "日本 🎉 <b>&amp;"\n}'
  expect(visible(text)).toBe(text)
})

it('2,000 characters are shown, with a note that there are more', () => {
  expect(visible('🎉'.repeat(2_000))).toBe('🎉'.repeat(2_000))
  expect(visible('🎉'.repeat(2_001))).toBe(`${'🎉'.repeat(2_000)}…`)
})
