#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm run docs [-- --check]

Makes the API reference from the docstrings: a page for each subpath of the package, in docs/api/html.

  --check     only report problems, and write nothing
  --markdown  write Markdown to docs/api/pages instead, for the site
  --help      print this text

Exits with 1 if an export or one of its members has no docstring, or if a function, class or value has no example.`

const flag = { type: 'boolean' }
const { values } = parseArgs({ options: { check: flag, markdown: flag, help: flag } })
if (values.help) {
  console.log(HELP)
  process.exit()
}

const path = (relative) => new URL(relative, import.meta.url).pathname
const { exports } = JSON.parse(readFileSync(path('../package.json'), 'utf8'))

/** Installed beside the TypeScript that it needs. */
const typedoc = createRequire(path('../docs/site/package.json')).resolve('typedoc')
const { Application, Comment, CommentTag, Converter, ReflectionKind } = await import(pathToFileURL(typedoc))

/** The source of each subpath: `./dist/adapters/hono.js` is made from `adapters/hono.ts`. */
const specifiers = new Map(
  Object.entries(exports)
    .filter(([, target]) => target?.endsWith('.js'))
    .map(([subpath, target]) => [
      path(target.replace('./dist/', '../').replace(/\.js$/, '.ts')),
      `hookgate${subpath.slice(1)}`,
    ]),
)

/** One page a subpath, in the form that the site reads. */
const MARKDOWN = {
  plugin: ['typedoc-plugin-markdown'],
  outputs: [{ name: 'markdown', path: path('../docs/api/pages') }], // emptied first
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  // SqliteStore and sqliteStore have headings with the same ID.
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
}

/** The groups of the reference in their order, by the subpaths that belong to them. */
const GROUPS = {
  Core: /^$/,
  Frameworks: /^\/(?:express|fastify|hono|web|stop|adapter)$/,
  Stores: /^\/stores\//,
  'Work after the response': /^\/(?:inbox|handoff|management(?:\/.+)?)$/,
  'Test, explain, observe': /^\/(?:testing|explain|otel)$/,
  'Keys, listeners and schemes': /^\/(?:jwt|listeners|schemes)$/,
  Senders: /^\/schemes\//,
  Sending: /^\/sender$/,
}

const app = await Application.bootstrapWithPlugins({
  ...(values.markdown ? MARKDOWN : { outputs: [{ name: 'html', path: path('../docs/api/html') }] }),
  name: values.markdown ? 'API reference' : 'hookgate',
  readme: 'none',
  tsconfig: path('../tsconfig.build.json'),
  entryPoints: [...specifiers.keys()],
  sort: ['source-order'],
  groupOrder: Object.keys(GROUPS),
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  hideGenerator: true,
  // A type that a signature names but nobody can import is documented where it is used.
  validation: { notExported: false, invalidLink: true },
})

app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    // The pattern `./schemes/*` has no single source.
    module.name = specifiers.get(fileOf(module)) ?? module.name.replace(/^src\//, 'hookgate/')
    const subpath = module.name.slice('hookgate'.length)
    const group = Object.keys(GROUPS).find((name) => GROUPS[name].test(subpath))
    if (group === undefined) throw new Error(`tools/api.mjs: ${module.name} is in no group`)
    module.comment ??= new Comment()
    module.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: group }]))
  }
})

const project = await app.convert()
if (project === undefined) process.exit(1)
app.validate(project)
if (!values.check) await app.generateOutputs(project)
const isComplete = values.markdown || reportBare(project)
process.exitCode = !isComplete || app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0

/** Reports exports without a docstring or an example. They fail `--check` in CI, but not the build. */
function reportBare({ children }) {
  const exported = children.flatMap((module) => module.children)
  const bare = [...new Set(exported.flatMap(undocumented))].map((name) => `no docstring: ${name}`)
  const unshown = exported.filter((each) => !isShown(each)).map((each) => `no example: ${each.getFullName()}`)
  for (const problem of [...bare, ...unshown]) console.error(problem)
  return bare.length + unshown.length === 0
}

function fileOf(reflection) {
  return reflection.project.getSymbolIdFromReflection(reflection)?.fileName ?? ''
}

/** An export without a docstring, and those of its members that have none. */
function undocumented(reflection) {
  if (reflection.isReference()) return []
  // Describes a database client. The client's own documentation covers the members.
  const isShape = fileOf(reflection).includes('/stores/') && !specifiers.has(fileOf(reflection))
  const members = isShape ? [] : (reflection.children ?? []).filter((member) => !isInherited(member))
  return [reflection, ...members].filter((each) => !hasText(each)).map((each) => each.getFullName())
}

/** Also true for constructors, which need no docstring: users construct none of the classes. */
function isInherited(member) {
  return member.inheritedFrom !== undefined || member.kindOf(ReflectionKind.Constructor)
}

function hasText(reflection) {
  return commentsOf(reflection).length > 0
}

function commentsOf(reflection) {
  const type = reflection.type?.declaration
  const places = [reflection, ...(reflection.signatures ?? []), ...(type?.signatures ?? [])]
  return places.flatMap(({ comment }) => comment ?? [])
}

/** Types need no example: they are shown where they are used. */
function isShown(reflection) {
  const isType = reflection.kindOf([ReflectionKind.Interface, ReflectionKind.TypeAlias])
  return isType || reflection.isReference() || hasExample(reflection)
}

function hasExample(reflection) {
  return commentsOf(reflection).some((comment) => comment.getTag('@example'))
}
