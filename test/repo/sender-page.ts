import type { Notes } from '../../docs/schemes/notes.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import { headingId } from '../../docs/site/.vitepress/heading-id.ts'
import { githubAppApi } from '../../src/management/github.ts'
import { gitlabGroupApi, gitlabProjectApi } from '../../src/management/gitlab.ts'
import { paddleApi } from '../../src/management/paddle.ts'
import { resendApi } from '../../src/management/resend.ts'
import { squareApi } from '../../src/management/square.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { svixApi } from '../../src/management/svix.ts'
import { coverageOf } from '../../src/schemes/kit/compile-scheme.ts'
import { rowsOf } from '../../src/schemes/kit/header-families.ts'
import type { Dedupe, HandshakeForm, Scheme } from '../../src/schemes/kit/index.ts'
import { largestBody, windowOf } from './schemes-tables.ts'
import { programsOf } from './sender-programs.ts'

/** What a page is made of. */
export interface SenderPage {
  readonly scheme: Scheme
  readonly dedupe: Dedupe
  readonly notes: Notes
  readonly retries: Retries
  /** The text of src/schemes/<name>.ts. */
  readonly source: string
  /** The text of examples/schemes/<name>.ts. */
  readonly program: string
  /** The text of the second program, if the notes name one. */
  readonly otherProgram?: string
}

/** The page of a sender. */
export function senderPage(given: SenderPage): string {
  const page = { ...given, scheme: { ...given.scheme, sender: given.scheme.sender.replace(/ \(.*\)$/, '') } } // GitLab has two
  const { scheme, notes, source, program } = page
  const parts = [
    `# ${scheme.sender} webhooks`,
    `<!-- Made by npm run docs:schemes from src/schemes/${scheme.name}.ts, notes.ts and retries.ts. -->`,
    `Receive webhooks from ${scheme.sender}, and handle three of [its events](${notes.events}):`,
    '## Program',
    ...programParts(program),
    startText(program, scheme.sender),
    `## Set up ${scheme.sender}`,
    `${variablesIn(program)[0] === undefined ? 'The secret' : `\`${variablesIn(program)[0]}\``} is ${notes.secret.replace(/\.$/, '')}.`,
    numbered(notes.setUp),
    `Details: [${scheme.sender}'s documentation](${notes.guide}).`,
    '## Try it on your computer',
    ...localParts(page),
    '## What is checked',
    checksOf(page),
    ...otherParts(page),
    '## Common mistakes',
    bullets([...factsOf(scheme), ...notes.mistakes]),
    `Look up a refusal in [Errors](../errors.md), and the options in [\`${nameIn(source)}\`](../../src/schemes/${scheme.name}.ts).`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function otherParts({ notes: { other }, otherProgram = '' }: SenderPage): readonly string[] {
  if (other === undefined) return []
  const { title, before, install, after } = other
  return [
    `## ${title}`,
    before,
    `\`\`\`sh\nnpm install ${install}\n\`\`\``,
    `\`\`\`ts\n${otherProgram}\`\`\``,
    after,
  ]
}

const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')
const numbered = (lines: readonly string[]) => lines.map((line, at) => `${at + 1}. ${line}`).join('\n')

/** The name of the factory, e.g. `standardWebhooks`. */
const nameIn = (source: string) => /^export const (\w+): (?:Code)?SchemeFactory/m.exec(source)?.[1] ?? ''

/** The path of the program's route. */
const routeIn = (program: string) =>
  /\/webhooks\/[a-z-]+/.exec(program.slice(program.indexOf('app.')))?.[0] ?? ''

/** The variables of the program, in its order. */
const variablesIn = (program: string) => [
  ...new Set([...program.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name = '']) => name)),
]

/** The first type that the program handles, as a shell takes it. */
const firstTypeIn = (program: string) => /case ('[^']+')/.exec(program)?.[1]?.replace(/^'([\w./:-]+)'$/, '$1')

const UNRELEASED = '# until the first release, from a clone: see the README\n'

/** The switch of frameworks: the site makes tabs of it, and GitHub folds all but the first. */
function programParts(program: string): readonly string[] {
  const settings = emptyIn(program).map((name) => `export ${name}=''\n`)
  return programsOf(program).flatMap(({ framework, install, code }) => {
    const isNext = framework === 'Next.js'
    const parts = [
      `\`\`\`sh\n${UNRELEASED}npm install ${['hookgate', ...install].join(' ')}\n\`\`\``,
      `Save this as \`${isNext ? `app${routeIn(program)}/route.js` : 'app.mjs'}\`:`,
      `\`\`\`js\n${code}\`\`\``,
      `\`\`\`sh\n${settings.join('')}${isNext ? 'npx next dev' : 'node app.mjs'}\n\`\`\``,
    ]
    return framework === 'Express'
      ? parts
      : [`<details>\n<summary>${framework}</summary>`, ...parts, '</details>']
  })
}

/** The variables that the page sets to nothing: the program refuses an empty secret, and starts with any other text. */
const emptyIn = (program: string) =>
  variablesIn(program).filter((name) => !program.includes(`${name} === undefined`))

function startText(program: string, sender: string): string {
  const what = emptyIn(program).length === 1 ? 'the secret' : 'the values'
  const where = `(#${headingId(`Set up ${sender}`)})`
  return [
    emptyIn(program).length === 0 ? 'Start it.' : `Write [${what}]${where} between the quotes, and start it.`,
    `The URL is \`http://localhost:3000${routeIn(program)}\`. Or use [another framework](../frameworks/other.md).`,
  ].join(' ')
}

function localParts({ scheme, notes, program }: SenderPage): readonly string[] {
  const route = routeIn(program)
  const [variable] = variablesIn(program)
  const canSign = /^hmac|^token$/.test(scheme.algorithm) && variable !== undefined
  const publicUrl = program.includes('publicUrl') ? [`--public-url https://example.com${route}`] : []
  const what = scheme.eventType === undefined ? '--sample' : `--type ${firstTypeIn(program)}`
  const tunnel = `For real events, open a [tunnel](../tunnels.md), and enter its URL with \`${route}\` at ${scheme.sender}${publicUrl.length === 0 ? '' : ' and as `publicUrl`'}.`
  return [
    canSign
      ? `hookgate signs as ${scheme.sender} does.${anySecret(scheme)} In another terminal, with the same variable set:\n\n${sendCommand(variable, [`http://localhost:3000${route}`, ...publicUrl, `--scheme ${scheme.name} ${what}`])}`
      : '',
    ...(notes.cli === undefined
      ? [tunnel, notes.test]
      : [`With ${scheme.sender}'s own command:\n\n\`\`\`sh\n${notes.cli}\n\`\`\``, notes.test, tunnel]),
  ]
}

/** The command in lines that fit the site's column of 72 characters. */
function sendCommand(variable: string, parts: readonly string[]): string {
  const secret = `HOOKGATE_SECRET=$${variable}`
  const send = 'npx --no-install hookgate send'
  const lines = `${secret} ${send}`.length <= 70 ? [`${secret} ${send}`, ...parts] : [secret, send, ...parts]
  return `\`\`\`sh\n${lines.join(' \\\n  ')}\n\`\`\``
}

/** A secret that the sender's program accepts, if any text will do. */
const anySecret = ({ key, secretPrefix = 'secret_' }: Scheme) =>
  key === 'text' ? ` Any secret will do, e.g. \`${secretPrefix}for_trying\`.` : ''

function checksOf(page: SenderPage): string {
  const { scheme, dedupe, notes } = page
  const { headers, member } = scheme.signature
  const algorithm: string = scheme.algorithm // also 'code'
  const families = rowsOf(scheme).map(({ signature }) =>
    signature.headers.map((name) => `\`${name}\``).join(', '),
  )
  const place = headers.length > 0 ? families.join(' or ') : `the body, at \`${member}\``
  return bullets([
    `Signature: ${place}${algorithm === 'code' ? '' : `, by \`${algorithm}\``}.`,
    `Covers: ${COVERS[coverageOf(scheme)]} ${scheme.limits}`,
    `Time: ${WINDOWS[windowOf(scheme)] ?? `signed, and at most ${windowOf(scheme)}${scheme.timestamp?.of === 'event' ? '' : ' off'}.`}`,
    `Deduplicated by: [${notes.deduplicatedBy ?? CLAIMS[dedupe]}](../duplicates.md).`,
    `Largest body: ${largestBody(scheme)}.`,
    ...(scheme.handshake === undefined
      ? []
      : [`Handshake: ${signedBy(scheme.handshake)}. hookgate answers it, on the same route.`]),
    ...retriesOf(page),
  ])
}

function signedBy({ signed, bringsItsKey, answerUnsigned }: HandshakeForm): string {
  if (bringsItsKey) return 'signed with the key that it contains, or unsigned'
  if (answerUnsigned) return 'one is signed, another is not'
  return signed ? 'signed' : 'not signed'
}

/** What `dedupe` means, in words. */
export const CLAIMS: { readonly [dedupe in Dedupe]: string } = {
  id: 'the ID',
  'signed-bytes': 'the signed bytes',
  'signed-bytes-per-topic': 'the signed bytes and the topic',
  'signed-bytes-and-id': 'the signed bytes or the ID',
  off: 'nothing',
}

const COVERS: { readonly [coverage: string]: string } = {
  body: 'the whole body.',
  values: 'some values of the body.',
  token: 'nothing.',
  nothing: 'nothing.',
}

const WINDOWS: { readonly [window: string]: string } = {
  'no time': 'not signed. A captured delivery runs again once the store has forgotten it.',
  'any age': 'signed, and of any age.',
  any: 'signed, and of any age unless you set `toleranceSeconds`.',
}

function retriesOf({ scheme, retries }: SenderPage): readonly string[] {
  const { says, timeoutSeconds, disabled, source } = retries
  const waits = timeoutSeconds === undefined ? '' : ` ${scheme.sender} waits for ${timeoutSeconds} seconds.`
  return [
    `${WITHOUT_RETRIES[says]?.(source) ?? `Retries: [${says}](${source}).`}${waits} Then ${RECOVERED.includes(scheme.name) ? '[recover missed events](../recover.md)' : '[find missed events](../recover.md)'}.`,
    ...(disabled === undefined ? [] : [`Endpoint disabled: ${disabled}.`]),
  ]
}

/** The senders that `recover` knows. */
export const RECOVERED: readonly string[] = [
  ...[
    stripeApi,
    githubAppApi(),
    gitlabProjectApi({ project: '1' }),
    gitlabGroupApi({ group: '1', signed: true }),
    paddleApi(),
    resendApi,
    squareApi(),
  ],
  svixApi({ app: 'app_1' }),
].map(({ scheme }) => scheme)

const WITHOUT_RETRIES: { readonly [says: string]: (source: string) => string } = {
  undocumented: (source) => `Retries: [this page](${source}) does not say.`,
  'not read': (source) => `Retries: see [this page](${source}), which we could not read in full.`,
}

/** What the row knows about wrong secrets and missing signatures. */
function factsOf({ facts = {}, algorithm }: Scheme): readonly string[] {
  const begins = Object.entries(facts.otherKeys ?? {})
  const keys = [...new Set(begins.map(([, is]) => is))].map((is) => {
    const same = begins.filter(([, other]) => other === is).map(([text]) => `\`${text.trim()}…\``)
    return `${same.join(' or ')} is ${is}`
  })
  return [
    ...(facts.otherSecrets === undefined ? [] : [`Which secret? ${capital(facts.otherSecrets)}.`]),
    ...(keys.length === 0 ? [] : [`Not the secret: ${keys.join(', ')}.`]),
    ...(facts.unsigned
      ? [`No ${algorithm === 'token' ? 'token' : 'signature'}? ${capital(facts.unsigned)}.`]
      : []),
    ...(facts.otherFormats === undefined ? [] : [`Another content type? ${capital(facts.otherFormats)}.`]),
    ...(facts.tests === undefined ? [] : [`A wrong signature? ${capital(facts.tests)}.`]),
    ...Object.entries(facts.otherVersions ?? {}).map(
      ([header, { is }]) => `\`${header}\` is ${is}. hookgate ignores it.`,
    ),
  ]
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
