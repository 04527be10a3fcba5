/** A program of a sender's page, for one framework. */
export interface FrameworkProgram {
  readonly framework: 'Express' | 'Fastify' | 'Hono' | 'Next.js'
  /** What `npm install` needs beside hookgate. */
  readonly install: readonly string[]
  readonly code: string
}

/** What a program for Hono consists of. */
interface Parts {
  readonly imports: string
  readonly listener: string
  /** `post`, or `all` if the sender verifies the URL by a GET. */
  readonly method: string
  readonly path: string
  /** The handler's statements. The first one takes members of the event. */
  readonly body: string
}

/** The programs for all frameworks, made of the one for Hono in examples/schemes. */
export function programsOf(program: string): readonly FrameworkProgram[] {
  const parts = partsOf(program)
  return [
    { framework: 'Express', install: ['express'], code: forExpress(parts) },
    { framework: 'Fastify', install: ['fastify'], code: forFastify(parts) },
    { framework: 'Hono', install: ['hono', '@hono/node-server'], code: forHono(parts) },
    { framework: 'Next.js', install: [], code: forNext(parts) },
  ]
}

function partsOf(program: string): Parts {
  const [, imports, listener, method, path, body] =
    /^(?:import .* from 'hono'\n)(.*?)\n\n(const listener = .*?\n}\))\n.*?^app\.(post|all)\(\s*'([^']+)',.*?\(c\) => \{\n(.*?)^ *\}(?:,\n)?\)\n/ms.exec(
      program,
    ) ?? []
  if (!imports || !listener || !method || !path || !body)
    throw new Error(`not a program for Hono:\n${program}`)
  return {
    imports: imports.replace(/^.*'hookgate\/hono'\n/m, ''),
    listener,
    method,
    path,
    body: indented(body, 2),
  }
}

/** Moves the lines so that the first one begins in this column. */
function indented(lines: string, column: number): string {
  const by = column - lines.search(/\S/)
  return lines.replaceAll(/^ *(?=\S)/gm, (spaces) => ' '.repeat(spaces.length + by))
}

/** What stands in the order of the module's names, as in the program for Hono. */
const withImport = (imports: string, line: string) =>
  imports.replace("from 'hookgate'\n", `from 'hookgate'\n${line}\n`)

/** `app.post(path, verifyWebhook(listener), handler)` in lines of at most 72 characters. */
function mounted({ method, path }: Parts, parameters: string, body: string): string {
  const line = `app.${method}('${path}', verifyWebhook(listener), ${parameters} => {`
  return line.length <= 72
    ? `${line}\n${body}})`
    : `app.${method}(\n  '${path}',\n  verifyWebhook(listener),\n  ${parameters} => {\n${indented(body, 4)}  },\n)`
}

function forExpress(parts: Parts): string {
  const imports = withImport(parts.imports, "import { verifyWebhook, webhookOf } from 'hookgate/express'")
  const body = parts.body
    .replace('c.var.webhook', 'webhookOf(req, listener)')
    .replace(
      "return c.text('<Response/>', 200, { 'content-type': 'text/xml' })",
      "res.type('text/xml').send('<Response/>')",
    )
    .replace("return c.text('done')", "res.send('done')")
    .replace('return c.body(null, 200)', 'res.end()')
    .replaceAll('return c.body(null, 204)', 'return res.sendStatus(204)')
    .replace('return c.json(', 'res.json(')
  return `import express from 'express'
${imports}

${parts.listener}

const app = express()

${mounted(parts, '(req, res)', body)}

const url = 'http://localhost:3000${parts.path}'
app.listen(3000).once('listening', () => console.log(url))
`
}

function forFastify(parts: Parts): string {
  const imports = withImport(parts.imports, "import { verifyWebhook, webhookOf } from 'hookgate/fastify'")
  const body = parts.body
    .replace('c.var.webhook', 'webhookOf(request, listener)')
    .replace(
      "c.text('<Response/>', 200, { 'content-type': 'text/xml' })",
      "reply.type('text/xml').send('<Response/>')",
    )
    .replace("c.text('done')", "'done'")
    .replace('c.body(null, 200)', 'reply.send()')
    .replaceAll('c.body(null, 204)', 'reply.code(204).send()')
    .replace(/c\.json\((.*)\)/, '$1')
  const parameters = body.includes('reply') ? 'request, reply' : 'request'
  return `import Fastify from 'fastify'
${imports}

${parts.listener}

const app = Fastify()

app.register(async (scope) => {
  // guards every route of this scope
  await scope.register(verifyWebhook, { listener })
  scope.${parts.method}('${parts.path}', async (${parameters}) => {
${indented(body, 4)}  })
})

await app.listen({ port: 3000 })
console.log('http://localhost:3000${parts.path}')
`
}

function forHono(parts: Parts): string {
  const imports = withImport(parts.imports, "import { verifyWebhook } from 'hookgate/hono'")
  return `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
${imports}

${parts.listener}

const app = new Hono()

${mounted(parts, '(c)', parts.body)}

const url = 'http://localhost:3000${parts.path}'
serve({ fetch: app.fetch, port: 3000 }, () => console.log(url))
`
}

function forNext(parts: Parts): string {
  const [, members, rest = ''] = /^ *const (\{.*\}) = c\.var\.webhook\n(.*)$/s.exec(parts.body) ?? []
  const body = rest
    .replace(
      "c.text('<Response/>', 200, { 'content-type': 'text/xml' })",
      "new Response('<Response/>', {\n    headers: { 'content-type': 'text/xml' },\n  })",
    )
    .replace("c.text('done')", "new Response('done')")
    .replace('c.body(null, 200)', 'new Response()')
    .replaceAll('c.body(null, 204)', 'new Response(null, { status: 204 })')
    .replace('c.json(', 'Response.json(')
  return `// app${parts.path}/route.js
${parts.imports}
import { webhookHandler } from 'hookgate/web'

// The first request calls it: a build loads this file without your
// secret.
function createHandler() {
${indented(parts.listener, 2)}
  return webhookHandler(listener, (${members}) => {
${indented(body, 4)}  })
}

let handle

export function POST(request) {
  handle ??= createHandler()
  return handle(request)
}
${parts.method === 'all' ? '\nexport { POST as GET }\n' : ''}`
}
