import type { Random } from '../oracle/random.ts'

/** A request as a stranger may send it, having seen genuine ones. */
export interface Request {
  readonly method: string
  readonly url?: string | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

type Change = (request: Request, random: Random, seen: readonly Request[]) => Request

/** One to three changes of a genuine request. */
export function forgedFrom(request: Request, random: Random, seen: readonly Request[]): Request {
  let forged = request
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left -= 1)
    forged = random.pick(CHANGES)(forged, random, seen)
  return forged
}

const CHARACTERS = '0123456789abcdefABCDEFxyzXYZ+/=-_.,;:&?% \t"\'{}[]<>\u00e9\u00ff'

const someCharacter = (random: Random) => CHARACTERS.charAt(random.below(CHARACTERS.length))

/** Replaces, removes, inserts or repeats a few characters, or changes their letter case. */
function otherText(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  return random.pick([
    () => before + someCharacter(random) + after.slice(1),
    () => before + after.slice(1),
    () => before + someCharacter(random) + after,
    () => before + after.slice(0, 4) + after,
    () => before,
    () => after,
    () => `${text} `,
    () => `0${text}`,
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text.replaceAll('=', ''),
    () => text.replaceAll('+', '-').replaceAll('/', '_'),
    () => text.replace(/[A-Za-z0-9+/]{20,}/, (signature) => 'A'.repeat(signature.length)),
    () => text.replace(/\d+/, (digits) => `${Number(digits) + random.pick([-1, 1, 1000])}`),
    () => `${text},${text}`,
    () => `v1a,${text} ${text}`,
    () => '',
  ])()
}

function otherBytes(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length + 1)
  const [before, after] = [body.subarray(0, at), body.subarray(at)]
  const flipped = Buffer.from(body)
  if (at < body.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8))
  return random.pick([
    () => flipped,
    () => Buffer.concat([before, after.subarray(1)]),
    () => Buffer.concat([before, Buffer.from(someCharacter(random)), after]),
    () => Buffer.concat([before, after.subarray(0, 8), after]),
    () => before,
    () => after,
    () => Buffer.concat([body, Buffer.from(random.pick([' ', '\n', '}', '&a=b', '\0']))]),
    () => Buffer.concat([Buffer.from('\ufeff'), body]),
    () =>
      Buffer.from(
        body.toString('latin1').replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`),
        'latin1',
      ),
    () => Buffer.from(body.toString('utf8').replace(/"([a-z]+)":/, '"$1": 0, "$1":')),
    () => Buffer.alloc(0),
  ])()
}

/** Changes the header at a random place. */
const atHeader =
  (change: (name: string, value: string, random: Random) => readonly (readonly [string, string])[]): Change =>
  (request, random) => {
    const at = random.below(request.headers.length)
    return {
      ...request,
      headers: request.headers.flatMap(([name, value], index) =>
        index === at ? change(name, value, random) : [[name, value] as const],
      ),
    }
  }

const otherValue = atHeader((name, value, random) => [[name, otherText(value, random)]])
const otherBody: Change = (request, random) => ({ ...request, body: otherBytes(request.body, random) })

const CHANGES: readonly Change[] = [
  otherValue,
  otherValue,
  otherValue,
  otherBody,
  otherBody,
  otherBody,
  atHeader(() => []),
  atHeader((name, value) => [
    [name, value],
    [name, value],
  ]),
  atHeader((name, value, random) => [
    [name, otherText(value, random)],
    [name, value],
  ]),
  atHeader((name, value, random) => [
    [name, value],
    [name, otherText(value, random)],
  ]),
  // The value of another header, or of the same header in another request.
  (request, random, seen) => {
    const [name, value] = random.pick(seen.flatMap(({ headers }) => headers))
    const target = random.pick([name, ...request.headers.map(([each]) => each)])
    const headers = request.headers.filter(([each]) => each !== target)
    return { ...request, headers: [...headers, [target, value]] }
  },
  (request, random, seen) => ({ ...request, body: random.pick(seen).body }),
  (request, random, seen) => ({ ...request, headers: random.pick(seen).headers }),
  // A byte moves over the border of the body and a header, as between `{time}` and `{body}` without a divider.
  (request, random) => {
    const at = random.below(request.headers.length)
    const count = random.pick([1, 2, 10])
    const moved = request.body.subarray(0, count).toString('latin1')
    return {
      ...request,
      headers: request.headers.map(([name, value], index) => [name, index === at ? value + moved : value]),
      body: request.body.subarray(count),
    }
  },
  (request, random) => {
    const at = random.below(request.headers.length)
    const moved = request.headers[at]?.[1].slice(-3) ?? ''
    return {
      ...request,
      headers: request.headers.map(([name, value], index) => [
        name,
        index === at ? value.slice(0, -3) : value,
      ]),
      body: Buffer.concat([Buffer.from(moved, 'latin1'), request.body]),
    }
  },
  (request, random) => ({ ...request, method: random.pick(['GET', 'PUT', 'post', 'HEAD']) }),
  (request, random) => ({
    ...request,
    url: otherText(request.url ?? 'https://receiver.example/hooks?a=1', random),
  }),
]
