import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

const EXECUTABLE = '/usr/bin/chromium'

const FLAGS = [
  '--headless',
  '--no-sandbox', // Chromium refuses to run as root with it
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Runs in the browser, which reads pictures. */
const COUNT_COLOURS = `async (png) => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
  canvas.drawImage(picture, 0, 0)
  return new Set(new Uint32Array(canvas.getImageData(0, 0, picture.width, picture.height).data.buffer)).size
}`

/** Why nothing can be looked at in a browser here; undefined when it can. */
export const WHY_NO_CHROMIUM: string | undefined = existsSync(EXECUTABLE)
  ? undefined
  : 'no Chromium here: `apt-get install chromium`'

/** For the name of a `describe.skipIf(WHY_NO_CHROMIUM)`. */
export function inChromium(name: string): string {
  return WHY_NO_CHROMIUM === undefined ? name : `${name} (skipped: ${WHY_NO_CHROMIUM})`
}

interface BrowserOptions {
  /** Is sent as the password where a page asks for one. */
  readonly token?: string
  /** For Chromium's command line, beside those that it always gets. */
  readonly flags?: readonly string[]
  readonly colorScheme?: 'light' | 'dark'
}

/** A browser with nothing in it, and all that its pages complained about. */
export class Browser {
  /** Errors of scripts, refusals of the content security policy, and requests to anywhere but the service. */
  readonly complaints: string[] = []
  readonly #context: BrowserContext
  readonly #folder: string

  private constructor(context: BrowserContext, folder: string) {
    this.#context = context
    this.#folder = folder
  }

  static async open({ token, flags = [], colorScheme = 'light' }: BrowserOptions = {}): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'hookgate-chromium-'))
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: EXECUTABLE,
      args: [...FLAGS, ...flags],
      viewport: { width: 1_280, height: 900 },
      colorScheme,
      permissions: ['clipboard-read', 'clipboard-write'],
      ...(token && { httpCredentials: { username: 'operator', password: token } }),
    })
    return new Browser(context, folder)
  }

  /** A page that may speak to this origin only. */
  async page(origin: string): Promise<Page> {
    const page = await this.#context.newPage()
    page.on('pageerror', (error) => this.complaints.push(`${error}`))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text())
    })
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url))
        this.complaints.push(`asks ${url}`)
    })
    return page
  }

  /** How many colours a picture has: text alone has dozens, and what was not drawn has one. */
  async coloursIn(picture: Buffer): Promise<number> {
    const page = await this.#context.newPage()
    const colours = await page.evaluate<number>(`(${COUNT_COLOURS})('${picture.toString('base64')}')`)
    await page.close()
    return colours
  }

  async close(): Promise<void> {
    await this.#context.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
