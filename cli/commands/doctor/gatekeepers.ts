import type { ProbeAnswer } from './probe.ts'

interface Gatekeeper {
  readonly name: string
  readonly isIt: (answer: ProbeAnswer) => boolean
  readonly fix: string
}

/** What often answers first, as in docs/proxies.md. */
const GATEKEEPERS: readonly Gatekeeper[] = [
  {
    name: 'Supabase',
    isIt: ({ status, bytes }) =>
      status === 401 && /"(?:Missing authorization header|Invalid JWT)"/.test(bytes.toString('latin1')),
    fix: 'deploy the function with --no-verify-jwt',
  },
  {
    name: 'Cloudflare Access',
    isIt: ({ headers: { location = '' } }) =>
      URL.canParse(location) && /(?:^|\.)cloudflareaccess\.com$/.test(new URL(location).hostname),
    fix: 'add a policy of the type Bypass for this path',
  },
  {
    name: "Cloudflare's bot protection",
    isIt: ({ headers }) => headers['cf-mitigated'] !== undefined,
    fix: 'add a WAF rule that skips it for this path',
  },
  {
    name: 'the CSRF check of SvelteKit or Astro',
    isIt: ({ status, bytes }) =>
      status === 403 && /Cross-site POST form submissions are forbidden/.test(bytes.toString('latin1')),
    fix: "set csrf.trustedOrigins to ['*'] in svelte.config.js, or security.checkOrigin to false in Astro's",
  },
  {
    name: "Clerk's middleware",
    isIt: ({ headers }) => headers['x-clerk-auth-status'] !== undefined,
    fix: 'protect only the routes that createRouteMatcher matches, and leave this one out',
  },
  {
    name: "Vercel's deployment protection",
    isIt: ({ status, headers: { server } }) => status === 401 && server === 'Vercel',
    fix: 'use the production domain, or add x-vercel-protection-bypass to the URL',
  },
]

/** What answered instead of hookgate. Undefined if nothing tells. */
export function gatekeeperOf(answer: ProbeAnswer): Gatekeeper | undefined {
  return GATEKEEPERS.find(({ isIt }) => isIt(answer))
}
