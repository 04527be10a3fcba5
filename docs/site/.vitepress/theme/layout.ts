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

const KEY = 'hookgate-framework'

/** Shows the chosen framework in every switch of the page. Without a choice, each shows its first. */
function showFramework(name: string): void {
  document.documentElement.dataset.framework = name
  for (const input of document.querySelectorAll<HTMLInputElement>('.frameworks input'))
    if (input.value === name) input.checked = true
}

/** Keeps the choice for other pages and visits, if the browser lets it. */
function keepFramework({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || target.closest('.frameworks') === null) return
  showFramework(target.value)
  try {
    localStorage.setItem(KEY, target.value)
  } catch {
    // Storage is off: the choice lasts as long as the page.
  }
}

/** Scrolls the sidebar to the page's own line, in the next frame: by then, its group is unfolded. */
const showInSidebar = () =>
  requestAnimationFrame(() =>
    document.querySelector('.VPSidebarItem.is-active > .item > .link')?.scrollIntoView({ block: 'nearest' }),
  )

const showRemembered = () => showFramework(document.documentElement.dataset.framework ?? '')

/** Where a link of old leads: to the words that a reader needs, in place of a joke. */
const notFound = () =>
  h('main', { class: 'not-found vp-doc' }, [
    h('h1', 'This page does not exist'),
    h('p', 'It may have moved. Search for it (press /), or begin here:'),
    h('ul', [
      h('li', [h('a', { href: withBase('/quickstart.html') }, 'Quickstart')]),
      h('li', [h('a', { href: withBase('/schemes.html') }, 'Senders')]),
      h('li', [h('a', { href: withBase('/troubleshooting.html') }, 'Fix a problem')]),
      h('li', [h('a', { href: withBase('/errors.html') }, 'Reasons and errors')]),
    ]),
  ])

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
    () =>
      nextTick(() => {
        markWideTables()
        showRemembered()
        showInSidebar()
      }),
  )
  onMounted(() => {
    markWideTables()
    showRemembered()
    showInSidebar()
    addEventListener('resize', markWideTables)
    addEventListener('change', keepFramework)
  })
  onUnmounted(() => {
    removeEventListener('resize', markWideTables)
    removeEventListener('change', keepFramework)
  })
  return () =>
    h(theme.Layout, null, {
      'not-found': notFound,
      'layout-bottom': () =>
        h('div', { class: 'site-footer' }, h('nav', { 'aria-label': 'About hookgate' }, links())),
    })
})
