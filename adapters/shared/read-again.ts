const BYTES = Symbol('bytes')
const BELOW = Symbol('below')
const RENEWED = Symbol('renewed')

/** A request of Node below a web request. Its server takes the body from `rawBody` when that is a Buffer. */
interface Below {
  rawBody?: unknown
}

/** A request whose body has been read, with its bytes. */
interface ReadRequest extends Request {
  [BYTES]: Uint8Array
  [BELOW]: Below | undefined
  [RENEWED]?: Request
}

/**
 * Gives a request its body back after it has been read. The first look at the body makes a second request from a copy of
 * the bytes; until then this costs a changed prototype. The request stays the same object, because platforms know their
 * requests by identity (`server.requestIP(request)` of Bun).
 */
export function readableAgain(request: Request, bytes: Uint8Array, below: Below | undefined): void {
  const read = request as ReadRequest // by the two lines that follow
  read[BYTES] = bytes
  read[BELOW] = below
  Object.setPrototypeOf(read, prototypeOver(Object.getPrototypeOf(read)))
}

/** By the prototype below: one for each kind of request that a process meets. */
const prototypes = new WeakMap<object, object>()

function prototypeOver(base: object): object {
  const known = prototypes.get(base)
  if (known) return known
  const prototype = Object.create(base, propertiesOver(base))
  prototypes.set(base, prototype)
  return prototype
}

const METHODS = ['arrayBuffer', 'blob', 'bytes', 'clone', 'formData', 'json', 'text']

function propertiesOver(base: object): PropertyDescriptorMap {
  const nativeKey = nativeKeyOf(base)
  const renewed = (read: ReadRequest): Request => {
    read[RENEWED] ??= new Request(nativeKey ? nativeOf(read, base, nativeKey) : read, {
      body: new Uint8Array(read[BYTES]),
    })
    return read[RENEWED]
  }
  const properties: PropertyDescriptorMap = {
    body: { get: asMethod((read) => renewed(read).body) },
    bodyUsed: { get: asMethod((read) => read[RENEWED]?.bodyUsed === true) },
  }
  for (const name of METHODS) {
    if (name in base)
      properties[name] = { value: asMethod((read) => Reflect.get(renewed(read), name).call(renewed(read))) }
  }
  if (nativeKey) properties[nativeKey] = { value: asMethod(renewed) }
  return properties
}

function asMethod<T>(look: (read: ReadRequest) => T): (this: ReadRequest) => T {
  return function () {
    return look(this)
  }
}

/**
 * What @hono/node-server hands out only passes for a request. By this method it makes the native one, when it is asked for
 * more than its headers or given to `new Request()`.
 */
function nativeKeyOf(prototype: object): symbol | undefined {
  return Object.getOwnPropertySymbols(prototype).find(({ description }) => description === 'getRequestCache')
}

/** There is a Buffer wherever there is such a server. */
declare const Buffer: { from(bytes: Uint8Array): Uint8Array }

function nativeOf(read: ReadRequest, base: object, nativeKey: symbol): Request {
  // Otherwise old versions throw here, because Node's stream has been read.
  if (read[BELOW]) read[BELOW].rawBody ??= Buffer.from(read[BYTES])
  return Reflect.get(base, nativeKey).call(read)
}
