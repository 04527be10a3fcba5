#!/usr/bin/env node
/**
 * Prints each line that replaces or proxies what belongs to the app, and fails if there are more than 12: `node tools/foreign.mjs`.
 * The rule is that hookgate never takes over the app's transaction, its stream or its response; it joins them.
 *
 * A line counts if it makes a proxy, changes a prototype, derives from an object that hookgate has not made, or defines, assigns or
 * deletes a named member of one. An object is the app's unless its name is in `OURS`. What a framework leaves open for others to fill
 * does not count.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const MOST = 12

/** The names of objects that hookgate makes itself. */
const OURS = new Set(
  `agent body claimant count entry event evidence factory fields guarded headers item last latest lease next open ours
   parent place record signs texts use verification`.split(/\s+/),
)

/** Members that are there to be set: by the first four names a body is passed on, and the others are for hooks and handlers. */
const OPEN = new Set(['arrayBuffer', 'body', '_body', 'rawBody', 'onSend', 'statusCode', 'webhook'])

/** Functions that change or stand in for their first argument. */
const CHANGES =
  /^(?:Object\.(?:assign|create|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(?:set|defineProperty|deleteProperty|setPrototypeOf))$/

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')
const lines = ['src', 'adapters'].flatMap(sourcesIn).flatMap(linesOf)
for (const line of lines) console.log(line)
console.log(`${lines.length} lines replace or proxy what belongs to the app, at most ${MOST}`)
process.exitCode = lines.length > MOST ? 1 : 0

function sourcesIn(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true })
  return paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`)
    .toSorted()
}

function linesOf(path) {
  const text = readFileSync(join(root, path), 'utf8')
  const found = new Set()
  visit(parseAst(text, { lang: 'ts' }))
  return [...found].map((line) => `${path}:${line}: ${text.split('\n')[line - 1].trim()}`)

  function visit(node) {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== 'string') return
    if (isForeign(node)) found.add(text.slice(0, node.start).split('\n').length)
    for (const child of Object.values(node)) visit(child)
  }

  function isForeign({ type, left, operator, argument, callee, arguments: [first] = [] }) {
    if (type === 'AssignmentExpression') return changesMember(left)
    if (type === 'UnaryExpression') return operator === 'delete' && changesMember(argument)
    if (type !== 'NewExpression' && type !== 'CallExpression') return false
    const called = text.slice(callee.start, callee.end)
    return called === 'Proxy' || (CHANGES.test(called) && isApps(first))
  }

  function changesMember({ type, object, property, computed }) {
    if (type !== 'MemberExpression' || computed || property.type === 'PrivateIdentifier') return false
    return isApps(object) && !OPEN.has(property.name)
  }
}

/** Whether the object that an expression begins with is the app's. */
function isApps({ type, object, expression, name }) {
  if (type === 'MemberExpression') return isApps(object)
  if (/^TS|^Parenthesized/.test(type) && expression) return isApps(expression)
  return type === 'Identifier' && !OURS.has(name)
}
