import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** CPU time of the whole build, in seconds. */
    readonly buildSeconds: number
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Where the site of the tests would stand. */
export const ORIGIN = 'https://hookgate.example'
const OFFLINE = `--import=${new URL('no-network.mjs', import.meta.url)}`

/** Builds the site once for all tests. A build that uses the network fails. */
export default function buildSite({ provide }: TestProject): void {
  const { status, stdout } = spawnSync('sh', ['-c', 'npm run build --prefix docs/site && times'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: OFFLINE, SITE_ORIGIN: ORIGIN, SITE_BASE: '/' },
  })
  if (status !== 0) throw new Error(`the site does not build:\n${stdout}`)
  provide('buildSeconds', childSeconds(stdout))
}

/** The last line of `times`: user and system time of the shell's children. */
function childSeconds(stdout: string): number {
  const spans =
    stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.match(/[0-9]+m[0-9.]+s/g) ?? []
  return spans.reduce(
    (sum, span) => sum + Number(span.split('m')[0]) * 60 + Number.parseFloat(span.split('m')[1] ?? ''),
    0,
  )
}
