import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlCommand, dataOption } from '../../cli/command-line/shell.ts'
import { toHar } from '../../cli/inspector/har.ts'
import type { Inspected } from '../../cli/inspector/inspected.ts'
import { toRecord } from '../../cli/inspector/record.ts'
import { readPasted } from '../../docs/site/playground/pasted/index.ts'
import { shellWords } from '../../docs/site/playground/pasted/shell-words.ts'
import fc from '../support/property.ts'

const read = (text: string) => {
  const { headers, body, method, url } = readPasted(text)
  return { method, url, headers: headers.map(([name, value]) => `${name}: ${value}`), body: latin1(body) }
}
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const bodyOf = (text: string) => read(text).body

describe('a pasted curl command', () => {
  it('the command that a browser copies gives its URL, headers and exact body', () => {
    const command = String.raw`curl 'https://example.com/hook?a=1&b=2' \
  -H 'accept: */*' \
  -H 'stripe-signature: t=1,v1=ab' \
  --data-raw $'{"name":"Zo\u00eb","line":"a\r\nb"}' \
  --compressed --insecure`
    expect(read(command)).toEqual({
      method: 'POST',
      url: 'https://example.com/hook?a=1&b=2',
      headers: [
        'Host: example.com',
        'accept: */*',
        'stripe-signature: t=1,v1=ab',
        'Content-Type: application/x-www-form-urlencoded',
      ],
      body: Buffer.from('{"name":"Zoë","line":"a\r\nb"}').toString('latin1'),
    })
  })

  it('the command that the inspector and the playground copy reads back to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (body, value) => {
        const option = dataOption(new TextEncoder().encode(body))
        fc.pre(option !== undefined && !/\p{Cc}/u.test(value))
        const text = curlCommand('https://example.com/', { 'x-note': value }, option ?? ['', ''])
        expect(Buffer.from(readPasted(text).body).toString()).toBe(body)
        if (value.trim() !== '') expect(read(text).headers).toContain(`X-Note: ${value.trim()}`)
      }),
    )
  })

  it('the words of a command are those of bash', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'é',
        ' ',
        "'b c'",
        '"d \\" \\\\ \\x e"',
        '\\ ',
        "$'\\x41\\n\\r\\t\\'\\101\\u00e9'",
        '\\\n',
        '"f\\\ng"',
      ],
    )
    const commands = fc.sample(fc.array(piece, { maxLength: 8 }), 60).map((pieces) => `x ${pieces.join('')}`)
    const script = commands.map((command) => `printf '%s\\0' ${command}; printf '\\1'`).join('\n')
    const { stdout } = spawnSync('bash', ['-c', script], { env: { LC_ALL: 'C.UTF-8' } })
    const wanted = stdout.toString('latin1').split('\x01').slice(0, -1)
    const words = commands.map((command) => shellWords(Buffer.from(command).toString('latin1')))
    expect(words.map((each) => each.map((word) => `${word}\0`).join(''))).toEqual(wanted)
  })

  it('bytes that are not UTF-8 stay as they are', () => {
    expect(bodyOf(String.raw`curl https://a.example -d $'\xff\xfe\0101'`)).toBe('\xff\xfe\x081')
  })

  it.each([
    ['-XPUT', 'curl -sSXPUT https://a.example -d x', 'PUT'],
    ['no data', 'curl https://a.example', 'GET'],
    ['data', "curl https://a.example --data-binary 'x'", 'POST'],
    ['a prompt', '$ curl -d x https://a.example', 'POST'],
  ])('the method of a command with %s', (_, command, method) => {
    expect(read(command).method).toBe(method)
  })

  it('two headers of one name stay two, an empty one is kept, and one that only removes is not', () => {
    const { headers } = read(
      "curl a.example -H 'X-A: 1' -H 'x-a: 2' -H 'X-Empty;' -H 'Accept:' -H 'Host: b.example'",
    )
    expect(headers).toEqual(['X-A: 1', 'x-a: 2', 'X-Empty: ', 'Host: b.example'])
  })

  it('a user and a password become a header, and leave the URL', () => {
    expect(read('curl https://me:p%40ss@a.example/x')).toMatchObject({
      url: 'https://a.example/x',
      headers: ['Host: a.example', `Authorization: Basic ${btoa('me:p@ss')}`],
    })
    expect(read("curl -u 'me:p@ss' https://a.example/x").headers).toContain(
      `Authorization: Basic ${btoa('me:p@ss')}`,
    )
  })

  it('several data options are joined with &, and --json adds its types', () => {
    expect(bodyOf('curl a.example -d a=1 --data b=2')).toBe('a=1&b=2')
    expect(read(`curl a.example --json '{"a":1}'`)).toMatchObject({
      headers: ['Host: a.example', 'Content-Type: application/json', 'Accept: application/json'],
      body: '{"a":1}',
    })
  })

  it('only --data-raw may begin with @', () => {
    expect(bodyOf("curl a.example --data-raw '@x'")).toBe('@x')
  })

  it('another command behind it is not read', () => {
    expect(bodyOf('curl a.example -d x | jq . ; rm -rf /')).toBe('x')
  })

  it.each([
    ['a file', 'curl a.example --data-binary @body.json', /reads the file body\.json/],
    ['a form', 'curl a.example -F a=b', /-F is not read here/],
    ['a variable', 'curl a.example -d "$BODY"', /variable/],
    ['another command', 'curl a.example -d `id`', /variable/],
    ['another command in quotes', 'curl a.example -d "$(id)"', /variable/],
    ['an open quote', "curl a.example -d 'x", /ends within a quote/],
    ['an option that is unknown', 'curl a.example --frobnicate', /--frobnicate is not read here/],
    ['no URL', 'curl -d x', /no URL/],
    ['two URLs', 'curl a.example -d {"id": 1}', /two URLs|quote/],
    ['a URL without quotes', 'curl https://a.example/?a=1&b=2 -d x', /quotes around the URL/],
    ['another protocol', 'curl file:///etc/passwd', /http:\/\/ or https:\/\//],
    ['a header with a line break', String.raw`curl a.example -H $'X-A: 1\r\nX-B: 2'`, /line break/],
    ['a name that is none', "curl a.example -H 'X A: 1'", /not the name of a header/],
    ['an escape beyond Unicode', String.raw`curl a.example -d $'\UFFFFFFFF'`, /no character/],
    ['201 headers', `curl a.example ${"-H 'A: 1' ".repeat(201)}`, /at most 200/],
  ])('a command with %s is refused with the remedy', (_, command, problem) => {
    expect(() => readPasted(command)).toThrow(problem)
    expect(() => readPasted(command)).toThrow(SyntaxError)
  })
})

describe('a pasted HTTP request', () => {
  it('the request gives its headers and body, with either line break', () => {
    const lines = ['POST /hook?a=1 HTTP/1.1', 'Host: a.example', 'X-A: 1', 'X-A: 2', '', '{"a":"\n"}']
    for (const end of ['\n', '\r\n']) {
      expect(read(lines.join(end))).toEqual({
        method: 'POST',
        url: 'https://a.example/hook?a=1',
        headers: ['Host: a.example', 'X-A: 1', 'X-A: 2'],
        body: '{"a":"\n"}',
      })
    }
  })

  it.each([
    ['a line break at the end', 3, 'a=1\n', 'a=1'],
    ['CRLF, which copying has changed', 8, 'a=1\nb=2', 'a=1\r\nb=2'],
    ['CRLF at the end', 5, 'a=1\n', 'a=1\r\n'],
  ])('the length of a body decides on %s', (_, length, given, body) => {
    expect(bodyOf(`POST / HTTP/1.1\nContent-Length: ${length}\n\n${given}`)).toBe(body)
  })

  it('a length that fits no body is told', () => {
    expect(readPasted('POST / HTTP/1.1\nContent-Length: 9\n\nabc').doubt).toMatch(
      /9 bytes, and the body has 3/,
    )
  })

  it.each(['\n', '\r\n'])('chunks are joined (%j)', (end) => {
    const chunks = ['3;ext=1', 'abc', '2', 'de', '0', '', ''].join(end)
    expect(bodyOf(`POST / HTTP/1.1${end}Transfer-Encoding: chunked${end}${end}${chunks}`)).toBe('abcde')
  })

  it.each([
    ['chunks that are cut', 'POST / HTTP/1.1\nTransfer-Encoding: chunked\n\nff\nabc', /cut/],
    ['a chunk without a size', 'POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n3\nabc', /cut/],
    ['a line that is no header', 'POST / HTTP/1.1\nno header\n\nx', /not a header/],
    ['no request', 'hello', /Paste a curl command/],
  ])('%s: refused with the remedy', (_, text, problem) => {
    expect(() => readPasted(text)).toThrow(problem)
  })
})

describe('a pasted record', () => {
  const delivery = {
    ...{
      seq: 1,
      time: '2026-11-27T00:00:00.000Z',
      method: 'POST',
      path: '/hook',
      bytes: 3,
      truncated: false,
    },
    headers: [
      ['X-A', '1'],
      ['X-A', '2'],
    ],
    body: new Uint8Array([0xff, 0x0d, 0x0a]),
    ...{ verdict: 'accepted', ms: { receive: 1, decide: 1, app: null, total: 2 }, app: null, status: 200 },
  } as unknown as Inspected // of which the exports read these members

  it("a line of the inspector's NDJSON gives its exact bytes, and so does the last of several", () => {
    const line = toRecord(delivery, [])
    for (const text of [line, `${line}\n${line}\n`]) {
      expect(read(text)).toEqual({
        method: 'POST',
        url: undefined,
        headers: ['X-A: 1', 'X-A: 2'],
        body: '\xff\x0d\x0a',
      })
    }
  })

  it("the inspector's HAR gives its last request", () => {
    const text = { ...delivery, body: Buffer.from('{"a":1}') }
    expect(read(JSON.stringify(toHar([delivery, text], 'https://a.example')))).toEqual({
      method: 'POST',
      url: 'https://a.example/hook',
      headers: ['X-A: 1', 'X-A: 2'],
      body: '{"a":1}',
    })
  })

  const harOf = (request: object) => JSON.stringify({ log: { entries: [{ request }] } })

  it('a HAR with a base64 body gives its bytes', () => {
    const postData = { text: '/w0K', encoding: 'base64' }
    expect(bodyOf(harOf({ url: 'https://a.example', headers: [], postData }))).toBe('\xff\x0d\x0a')
  })

  it.each([
    [
      'a hidden signature',
      harOf({ url: 'https://a.example', headers: [{ name: 'A', value: 'v1=(64 characters hidden)' }] }),
      /hidden/,
    ],
    ['a body that is cut', JSON.stringify({ v: 1, headers: [], bodyBase64: '', truncated: true }), /in full/],
    ['a body that is not base64', JSON.stringify({ v: 1, headers: [], bodyBase64: '%' }), /not base64/],
    ['other JSON', '{"id":"evt_1"}', /no request/],
    ['a HAR without requests', '{"log":{"entries":[]}}', /no URL|no request/],
    ['an address that is no URL', harOf({ url: 'javascript:alert(1)', headers: [] }), /http:/],
    ['headers that are no list', harOf({ url: 'https://a.example', headers: { length: 1e9 } }), /^$/],
  ])('a record with %s', (_, text, problem) => {
    let message = ''
    try {
      readPasted(text)
    } catch (error) {
      message = error instanceof SyntaxError ? error.message : `${error} is not for the reader`
    }
    expect(message).toMatch(problem)
  })

  it('keys of prototypes are headers like others, or none', () => {
    const headers = [
      { name: '__proto__', value: 'x' },
      { name: 'constructor', value: 'y' },
    ]
    expect(read(harOf({ url: 'https://a.example', headers })).headers).toEqual([
      '__proto__: x',
      'constructor: y',
    ])
    expect(Reflect.get({}, 'x')).toBeUndefined()
    expect(() => readPasted('{"__proto__":{"headers":[],"bodyBase64":""}}')).toThrow(/no request/)
  })
})

describe('a large paste', () => {
  const HALF_A_MEGABYTE = 524_288

  it.each([
    ['backslashes', `curl a.example -d "${'\\\\'.repeat(HALF_A_MEGABYTE / 2)}"`],
    ['dollars', `curl a.example -d "${'\\$'.repeat(HALF_A_MEGABYTE / 2)}"`],
    ['quotes', `curl a.example -d ${"''".repeat(HALF_A_MEGABYTE / 2)}`],
    ['escapes', `curl a.example -d $'${'\\n'.repeat(HALF_A_MEGABYTE / 2)}'`],
    ['line breaks', `POST / HTTP/1.1\n\n${'\r\n'.repeat(HALF_A_MEGABYTE / 2)}`],
    ['headers', `POST / HTTP/1.1\n${'a:b\n'.repeat(HALF_A_MEGABYTE / 4)}\n`],
    [
      'chunks',
      `POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n${'1\na\n'.repeat(HALF_A_MEGABYTE / 4 - 100)}0\n\n`,
    ],
    ['brackets', `{"log":${'['.repeat(HALF_A_MEGABYTE)}`],
  ])('half a megabyte of %s takes linear time, or this test hangs', (_, text) => {
    let read: unknown
    try {
      read = readPasted(text)
    } catch (error) {
      read = error
    }
    expect(read instanceof Error ? read : Object(read)).toEqual(
      read instanceof Error ? expect.any(SyntaxError) : expect.objectContaining({}),
    )
  })
})
