import { PAGES, START } from './sidebar.ts'

/** The page of the site that VitePress does not make. */
export const PLAYGROUND = '/playground/'

/** The page for those who compare: the first that exists. */
export const WHY: string = `/${['why', 'alternatives'].find((page) => PAGES.includes(page))}`

/** The links of the bar at the top. A test holds that the playground, which VitePress does not make, has them too. */
export const NAV: readonly { readonly text: string; readonly link: string; readonly target?: string }[] = [
  { text: 'Start', link: START },
  { text: 'Senders', link: '/schemes' },
  { text: 'Fix', link: '/troubleshooting' },
  { text: 'Why hookgate', link: WHY },
  { text: 'API', link: '/api/' },
  { text: 'Playground', link: PLAYGROUND, target: '_self' },
]
