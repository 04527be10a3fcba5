import { type DefaultTheme, useData, withBase } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { defineComponent, h, nextTick, onMounted, onUnmounted, watch } from 'vue'

/** What config.ts adds to the settings of the theme. */
export interface OwnConfig extends DefaultTheme.Config {
  readonly repository: string
}

/** Marks the tables that are wider than their place: style.css tells the reader to scroll. */
function markWideTables(): void {
  for (const table of document.querySelectorAll<HTMLElement>('.vp-doc table'))
    table.toggleAttribute('data-wide', table.scrollWidth > table.clientWidth + 1)
}

/** The default layout with a footer on every page. */
export const Layout = defineComponent(() => {
  const { page, theme: settings } = useData<OwnConfig>()
  const { repository } = settings.value
  const inRepository = (file: string) => `${repository}/blob/main/${file}`
  const links = () => [
    h('a', { href: repository }, 'Source'),
    h('a', { href: inRepository('CHANGELOG.md') }, 'Changes'),
    h('a', { href: inRepository('SECURITY.md') }, 'Security'),
    h('a', { href: withBase('/llms.txt'), target: '_self' }, 'llms.txt'),
    h('a', { href: inRepository('LICENSE') }, 'MIT license'),
  ]
  watch(
    () => page.value.relativePath,
    () => nextTick(markWideTables),
  )
  onMounted(() => {
    markWideTables()
    addEventListener('resize', markWideTables)
  })
  onUnmounted(() => removeEventListener('resize', markWideTables))
  return () =>
    h(theme.Layout, null, {
      'layout-bottom': () =>
        h('div', { class: 'site-footer' }, h('nav', { 'aria-label': 'About hookgate' }, links())),
    })
})
