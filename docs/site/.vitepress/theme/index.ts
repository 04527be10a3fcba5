import type { Theme } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { Layout } from './layout.ts'
import { SenderFinder } from './sender-finder.ts'
import './style.css'
import './home.css'

export default {
  extends: theme,
  Layout,
  enhanceApp: ({ app }) => void app.component('SenderFinder', SenderFinder),
} satisfies Theme
