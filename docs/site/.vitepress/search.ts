import { PAGES } from './sidebar.ts'

/**
 * Which page answers these words first. Of `pages`, the first that exists: a page that moves changes one line.
 * A test searches for each of the words.
 */
const ANSWERS: readonly { readonly words: string; readonly pages: readonly string[] }[] = [
  { words: 'quickstart tutorial start', pages: ['quickstart', 'express'] },
  { words: 'duplicate duplicates replay', pages: ['duplicates', 'how-it-works', 'events'] },
  { words: 'express', pages: ['frameworks/express', 'express'] },
  { words: 'vercel', pages: ['frameworks/vercel', 'vercel', 'hosts', 'fetch'] },
  { words: 'nextjs', pages: ['frameworks/nextjs', 'frameworks/next', 'fetch'] },
  { words: 'prisma drizzle kysely knex typeorm orm', pages: ['idempotent'] },
  { words: 'mysql mariadb', pages: ['stores/mysql', 'stores/mariadb', 'stores'] },
  { words: 'firebase', pages: ['frameworks/firebase', 'stores/write-one'] },
  { words: 'mongo mongodb firestore', pages: ['stores/mongodb', 'stores/write-one', 'stores'] },
  { words: 'retry retries missed', pages: ['retries', 'recover'] },
  { words: 'queue queues bullmq', pages: ['queues', 'handoff'] },
  { words: 'order ordering', pages: ['ordering'] },
  { words: 'rotate rotation rotating', pages: ['rotate', 'rotate-secrets', 'specification'] },
  { words: 'test tests vitest jest', pages: ['testing'] },
  { words: 'ngrok cloudflared tunnel', pages: ['tunnels'] },
  { words: 'raw', pages: ['troubleshooting'] },
  { words: 'constructEvent', pages: ['migrate/stripe'] },
  { words: 'timeout timeouts', pages: ['events'] },
  { words: 'dead letter deadletter dlq', pages: ['inbox'] },
  { words: 'compare comparison alternative alternatives svix hookdeck', pages: ['why'] },
  { words: 'supabase', pages: ['frameworks/supabase', 'frameworks/serverless', 'schemes/standard-webhooks'] },
  { words: 'netlify', pages: ['frameworks/netlify', 'frameworks/serverless'] },
  { words: 'docker golang go python ruby php gateway', pages: ['forward'] },
]

/** The senders that have a page. Alone, Vercel's name means the host. */
const SENDERS = PAGES.flatMap((page) => /^schemes\/([a-z]+)$/.exec(page)?.[1] ?? [])

/** What `asOneWord` makes of a query that is no more than a sender's name, with or without "webhooks". */
const wordOf = (sender: string) => `${sender}webhooks`

/** The page that answers each word. */
export const ANSWER_TO: { readonly [word: string]: string } = Object.fromEntries([
  ...SENDERS.map((sender) => [wordOf(sender), `schemes/${sender}`]),
  ...ANSWERS.flatMap(({ words, pages }) => {
    const page = pages.find((path) => PAGES.includes(path))
    return page === undefined ? [] : words.split(' ').map((word) => [word.toLowerCase(), page])
  }),
])

/** The rendered page with the words that it answers, for the index alone. */
export function withItsWords(html: string, page: string): string {
  const words = Object.keys(ANSWER_TO).filter((word) => ANSWER_TO[word] === page)
  return html.replace('</h1>', () => `</h1><p>${words.join(' ')}</p>`)
}

/**
 * The words of a query. One that is a sender's name, and no more, has the word of the sender's page too.
 * VitePress sends it to the browser as its text, so everything it knows is written into it.
 */
export const asOneWord: (text: string) => string[] = new Function(`return (text) => {
  const [, name, webhooks] = /^\\s*(${SENDERS.join('|')})( webhooks?)?\\s*$/i.exec(text) ?? []
  const isSender = name && (webhooks || name.toLowerCase() !== 'vercel')
  const words = text.split(/[\\n\\r\\p{Z}\\p{P}]+/u)
  return isSender ? [name.toLowerCase() + 'webhooks', ...words] : words
}`)()

type Boost = (id: string, term: string, stored?: { readonly [field: string]: unknown }) => number

/**
 * Puts guides before the API, the list of senders and the sections of their pages, which repeat each other's words, and the page that
 * answers a word before all. VitePress sends a function to the browser as its text, so everything it knows is written into it.
 */
export function boostDocument(base: string): Boost {
  const answers = JSON.stringify(Object.entries(ANSWER_TO))
  const text = `(id, term, stored) => {
    const page = new Map(${answers}).get(term)
    if (id.startsWith('${base}' + page + '.html') && stored.titles.length === 0) return 10
    if (term === 'webhooks' && /-webhooks$/.test(id)) return 4
    return /\\/api\\/|\\/schemes\\.html#/.test(id) ? 0.3 : /\\/schemes\\/.*(?<!-webhooks)$/.test(id) ? 0.6 : 1
  }`
  return new Function(`return ${text}`)()
}
