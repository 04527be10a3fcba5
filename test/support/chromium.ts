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

/** Runs in the browser, which can decode pictures. */
const COUNT_COLOURS = `async (png) => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
  canvas.drawImage(picture, 0, 0)
  return new Set(new Uint32Array(canvas.getImageData(0, 0, picture.width, picture.height).data.buffer)).size
}`

/** Why browser tests cannot run here. Undefined if they can. */
export const WHY_NO_CHROMIUM: string | undefined = existsSync(EXECUTABLE)
  ? undefined
  : 'no Chromium here: `apt-get install chromium`'

/** For the name of a `describe.skipIf(WHY_NO_CHROMIUM)`. */
export function inChromium(name: string): string {
  return WHY_NO_CHROMIUM === undefined ? name : `${name} (skipped: ${WHY_NO_CHROMIUM})`
}

interface BrowserOptions {
  /** The password to send if a page asks for one. */
  readonly token?: string
  /** Additional arguments for Chromium. */
  readonly flags?: readonly string[]
  readonly colorScheme?: 'light' | 'dark'
}

/** A fresh browser, and all complaints of its pages. */
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

  /** Opens a page that may connect only to this origin. */
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

  /** Counts the colours of a picture. Text has dozens, an empty picture has one. */
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
