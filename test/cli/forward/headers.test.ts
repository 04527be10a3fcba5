import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { SECRET, temporaryFile } from '../support.ts'
import { closedPort } from './app.ts'
import { APP_SECRET, openGateway } from './gateway.ts'

const EVIL = 'evil'

/** The headers that an app may see, spelt as in CGI, WSGI and PHP. `HOST` and `CONNECTION` are those of the gateway. */
const ALLOWED = [
  'HOST',
  'CONNECTION',
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'WEBHOOK_ID',
  'WEBHOOK_TIMESTAMP',
  'WEBHOOK_SIGNATURE',
  'HOOKGATE_EVENT_ID',
  'HOOKGATE_LISTENER',
  'HOOKGATE_AUTH',
  'HOOKGATE_KEY_ID',
  'HOOKGATE_SENT_AT',
  'HOOKGATE_SOURCE_IP',
  'X_FORWARDED_FOR',
  'X_FORWARDED_PROTO',
  'X_FORWARDED_HOST',
]

/** The listener or HTTP itself reads these, so a second one is refused before it reaches the app. */
const READ_BY_THE_GATEWAY =
  /^(webhook-(event-id|timestamp|signature)|content-.*|transfer-encoding|connection|expect|upgrade|host|keep-alive|te|trailer)$/i

/** Names that frameworks and proxies trust, and our own, in every spelling that some server treats as the same. */
function strangersNames(): string[] {
  const trusted =
    'Authorization Cookie Remote-User X-Remote-User X-Real-IP Forwarded X-Forwarded-User Via Proxy'
  const known = [
    ...ALLOWED.map((name) => name.replaceAll('_', '-')),
    'Webhook-Event-Id',
    ...trusted.split(' '),
  ]
  const spellings = known.flatMap((name) => [
    name,
    name.toLowerCase(),
    name.replaceAll('-', '_'),
    name.toLowerCase().replaceAll('-', '_'),
    name.replace('-', '_'),
    ...['.', '~', '!', '--', '^'].map((mark) => name.replaceAll('-', mark)),
    `${name}-`,
    `-${name}`,
    `_${name}`,
    `X-${name}`,
    `HTTP_${name}`,
  ])
  const letters = "abcXYZ019-_.!#$%&'*+^`|~"
  const made = Array.from({ length: 1000 }, (_, seed) => {
    const bytes = createHash('sha256').update(`${seed}`).digest()
    return [...bytes.subarray(0, 2 + (seed % 30))].map((byte) => letters[byte % letters.length]).join('')
  })
  return [...new Set([...spellings, ...made])].filter((name) => !READ_BY_THE_GATEWAY.test(name))
}

/** Sends one event with these headers after the sender's own, and returns what the app saw. */
async function seenBy(gatewayUrl: string, names: readonly string[], eventId: string) {
  const signed = await signHmac({ secret: SECRET, body: '{}', eventId })
  const headers = [...Object.entries(signed.headers), ...names.map((name) => [name, EVIL])].flat()
  const sent = request(gatewayUrl, {
    method: 'POST',
    headers: ['Host', 'evil.example', 'Content-Length', '2', ...headers],
  })
  sent.end(signed.body)
  const [response] = await once(sent, 'response')
  const answer = await text(response)
  expect(response.statusCode, answer).toBe(200)
  const seen: Readonly<Record<string, string>> = JSON.parse(answer)
  return seen
}

async function expectOnlyOurs(appUrl: string): Promise<void> {
  const gateway = await openGateway(appUrl, { secret: APP_SECRET })
  const names = strangersNames()
  expect(names.length).toBeGreaterThan(1000)
  for (let at = 0; at < names.length; at += 100) {
    const eventId = randomUUID()
    const seen = await seenBy(gateway.url, names.slice(at, at + 100), eventId)
    expect(Object.keys(seen).filter((name) => !ALLOWED.includes(name))).toEqual([])
    expect(JSON.stringify(seen)).not.toContain(EVIL)
    expect(seen.HOOKGATE_EVENT_ID).toBe(eventId)
    expect(seen.X_FORWARDED_FOR).toBe('127.0.0.1')
  }
}

test('no header outside the list reaches an app on Node, whatever its name', async () => {
  const server = createServer((received, response) => {
    const seen = received.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, received.rawHeaders[at + 1]]] : [],
    )
    const folded = seen.map(([name = '', value]) => [name.toUpperCase().replaceAll('-', '_'), value])
    response.end(JSON.stringify(Object.fromEntries(folded)))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  await expectOnlyOurs(`http://127.0.0.1:${port}/`)
})

const WSGI = `
import json
from wsgiref.simple_server import WSGIRequestHandler, make_server

class Quiet(WSGIRequestHandler):
    def log_message(self, *_): pass

def app(environ, start_response):
    environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
    seen = {name[5:]: value for name, value in environ.items() if name.startswith('HTTP_')}
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps(seen).encode()]

server = make_server('127.0.0.1', 0, app, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
`

const PYTHON = ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['--version']).status === 0)
const NO_PYTHON = PYTHON ? '' : ' (skipped: no Python here)'

test.skipIf(NO_PYTHON)(
  `no header outside the list reaches an app on WSGI, which treats underscores as hyphens${NO_PYTHON}`,
  async () => {
    const child = spawn(PYTHON ?? '', ['-c', WSGI], { stdio: ['ignore', 'pipe', 'inherit'] })
    endWithTest(child)
    const [port] = await once(child.stdout, 'data')
    await expectOnlyOurs(`http://127.0.0.1:${Number(port)}/`)
  },
)

const PHP = `<?php
$seen = [];
foreach ($_SERVER as $name => $value) if (str_starts_with($name, 'HTTP_')) $seen[substr($name, 5)] = $value;
header('Content-Type: application/json');
echo json_encode($seen);
`
const NO_PHP = spawnSync('php', ['--version']).status === 0 ? '' : ' (skipped: no PHP here)'

test.skipIf(NO_PHP)(`no header outside the list reaches an app on PHP${NO_PHP}`, async () => {
  const port = await closedPort()
  const router = await temporaryFile('router.php', PHP)
  const child = spawn('php', ['-S', `127.0.0.1:${port}`, router], { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithTest(child)
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    if (said.includes('started')) break
  }
  await expectOnlyOurs(`http://127.0.0.1:${port}/`)
})

function endWithTest(child: ChildProcess): void {
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
}
