import { fetchedKeySet } from '../auth/remote-key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions } from '../auth/remote-value.ts'
import { type TokenRules, verifyToken } from '../auth/token.ts'
import { ListenerConfigError } from '../errors.ts'
import type { Json } from '../lib/json.ts'
import { exactText, type OptionCheck, optional } from '../lib/options.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'

/** The options of `vercelConnect`. Vercel's keys are fetched with `fetch`. */
export interface VercelConnectOptions extends CommonOptions, RemoteOptions {
  /** The ID of your project, or several, e.g. `prj_…`: `VERCEL_PROJECT_ID` in its deployments. */
  readonly projectId: string | readonly string[]
  /** The environment of your deployment, or several: `VERCEL_TARGET_ENV`, or else `VERCEL_ENV`, e.g. `production`. */
  readonly environment: string | readonly string[]
  /** The ID of your team, e.g. `team_…`. Any, if you leave it out: a project's ID belongs to one team. */
  readonly ownerId?: string | undefined
}

const ISSUER = 'https://oidc.vercel.com'
const KEYS_URL = 'https://oidc.vercel.com/.well-known/jwks'
const LONGEST_LIFE_SECONDS = 86_400
/** How far ahead Vercel's clock may be. */
const AHEAD_SECONDS = 60

const VERCEL_CONNECT: CodeScheme = {
  name: 'vercel-connect',
  sender: 'Vercel Connect',
  secretName: 'none; pass the projectId and the environment of your deployment',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: [],
  covers: 'token',
  content: ['json', 'form'],
  maxBodyBytes: 4_718_592, // what a function of Vercel accepts: 4.5 MB
  facts: { unsigned: false, keyHost: 'one set' },
  limits:
    'The body is not signed: the token only says that Vercel issued it for your project and environment. Every deployment of them has such tokens, and anyone who has seen one can forge deliveries until it expires.',
}

/** @throws ListenerConfigError */
const oneOrMore: OptionCheck = (value, option) => {
  const all = [value].flat()
  if (all.length === 0) throw new ListenerConfigError(option, 'must not be empty')
  for (const each of all) exactText(each, option)
}

const isIssuer = (value: Json | undefined) =>
  value === ISSUER || (typeof value === 'string' && value.startsWith(`${ISSUER}/`))

function tokenRules({ projectId, environment, ownerId }: VercelConnectOptions): TokenRules<'RS256'> {
  const claims = [
    { claim: 'iss', is: isIssuer, problem: 'iss is not Vercel' },
    { claim: 'project_id', is: [projectId].flat(), problem: 'project_id is not projectId' },
    { claim: 'environment', is: [environment].flat(), problem: 'environment is another one' },
    ...(ownerId === undefined
      ? []
      : [{ claim: 'owner_id', is: ownerId, problem: 'owner_id is not ownerId' }]),
  ]
  return {
    header: 'Authorization',
    isBearer: true,
    algorithms: ['RS256'],
    claims: () => claims,
    times: { nbf: { ahead: AHEAD_SECONDS, optional: true }, exp: { ahead: LONGEST_LIFE_SECONDS } },
  }
}

/**
 * Verifies webhooks that Vercel Connect forwards to your project, of Slack, GitHub, Linear and others, by their
 * `Authorization: Bearer`, an OpenID Connect token of Vercel in place of the sender's own signature, which Vercel has checked. There
 * is no secret. Pass the ID and the environment of your project. Vercel's public keys are fetched.
 *
 * The token does not cover the body. Deliveries are claimed by their bodies. `event.payload` is the sender's.
 *
 * @example
 * ```ts
 * const auth = vercelConnect({
 *   projectId: process.env.VERCEL_PROJECT_ID ?? '',
 *   environment: process.env.VERCEL_TARGET_ENV ?? '',
 * })
 * ```
 */
export const vercelConnect: CodeSchemeFactory<VercelConnectOptions> = defineCodeScheme(
  VERCEL_CONNECT,
  {
    ...COMMON_OPTIONS,
    ...REMOTE_OPTIONS,
    projectId: oneOrMore,
    environment: oneOrMore,
    ownerId: /* @__PURE__ */ optional(exactText),
  },
  (options, authBy) => {
    const keys = fetchedKeySet(KEYS_URL, KEYS_URL, options)
    const rules = tokenRules(options)
    return async (evidence) => {
      const token = await verifyToken(evidence, rules, keys.find)
      return 'reason' in token ? token : authBy(token.keyId)
    }
  },
)
