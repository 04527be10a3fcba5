import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { Browser } from '../../support/chromium.ts'
import { type ServedSite, serveSite } from './serve-site.ts'

/** The playground in its own browser, and actions by the words on the page. */
export class Playground {
  readonly page: Page
  readonly browser: Browser
  readonly site: ServedSite

  private constructor(page: Page, browser: Browser, site: ServedSite) {
    this.page = page
    this.browser = browser
    this.site = site
  }

  static async open(): Promise<Playground> {
    const [browser, site] = await Promise.all([Browser.open(), serveSite()])
    const playground = new Playground(await browser.page(site.origin), browser, site)
    await playground.reload()
    return playground
  }

  async reload(): Promise<void> {
    await this.page.goto(`${this.site.origin}/playground/`)
    await this.verdict('Accepted')
  }

  async close(): Promise<void> {
    await this.browser.close()
    this.site.close()
  }

  /** Waits for a verdict. */
  async verdict(title: string): Promise<void> {
    await this.page.locator('#result h2', { hasText: title }).waitFor()
  }

  async choose(scheme: string): Promise<void> {
    await this.page.getByLabel('Scheme').selectOption(scheme)
  }

  async paste(fields: { readonly [name: string]: string }): Promise<void> {
    for (const [name, text] of Object.entries(fields)) {
      await this.page.getByRole('textbox', { name }).fill(text)
    }
  }

  async click(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button }).click()
  }

  /** The checks with a mark: `ok`, `NO` or `-`. */
  async checks(): Promise<string[]> {
    const items = await this.page.locator('.checks li').all()
    const marks: { readonly [ok: string]: string } = { true: 'ok', false: 'NO', null: '-' }
    return Promise.all(
      items.map(async (item) => {
        const name = await item.locator('.mono').innerText()
        return `${marks[(await item.getAttribute('data-ok')) ?? '']} ${name}`
      }),
    )
  }

  why(): Promise<string> {
    return this.page.locator('.why').innerText()
  }
}

/** Types headers as a user pastes them. */
export function headerText(headers: { readonly [name: string]: string }): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** A fresh playground for each test of a `describe`. A test fails if the browser reported a problem. */
export function usePlayground(give: (opened: Playground) => void): void {
  let playground: Playground

  beforeAll(async () => {
    playground = await Playground.open()
    give(playground)
    return () => playground.close()
  })

  beforeEach(() => playground.reload())

  // Errors, violations of the content security policy, and requests to other hosts.
  afterEach(() => {
    expect(playground.browser.complaints.splice(0)).toEqual([])
  })
}
