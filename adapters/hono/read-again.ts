const BYTES = Symbol('bytes')
const BELOW = Symbol('below')
const RENEWED = Symbol('renewed')

/** The Node request under a web request. The server reads the body from `rawBody` if that is a Buffer. */
interface Below {
  rawBody?: unknown
}

/** A request whose body has been read, and the bytes. */
interface ReadRequest extends Request {
  [BYTES]: Uint8Array
  [BELOW]: Below | undefined
  [RENEWED]?: Request
}

/**
 * Makes a consumed request readable again. Only swaps its prototype; the first access to the body creates a second request
 * from a copy of the bytes. The request stays the same object, because platforms identify requests by reference, e.g. Bun's
 * `server.requestIP(request)`. Replacing `c.req.raw` would also cost more, even with a getter: every look at a header would make
 * the second request, and a delivery took 85 µs of CPU instead of 31.
 */
export function readableAgain(request: Request, bytes: Uint8Array, below: Below | undefined): void {
  const read = request as ReadRequest // completed by the next two lines
  read[BYTES] = bytes
  read[BELOW] = below
  Object.setPrototypeOf(read, prototypeOver(Object.getPrototypeOf(read)))
}

/** Derived prototypes by base prototype: one per kind of request. */
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
 * Requests of @hono/node-server are not native. This method creates the native request, once you access more
 * than the headers or pass the request to `new Request()`.
 */
function nativeKeyOf(prototype: object): symbol | undefined {
  return Object.getOwnPropertySymbols(prototype).find(({ description }) => description === 'getRequestCache')
}

/** Exists wherever @hono/node-server runs. */
declare const Buffer: { from(bytes: Uint8Array): Uint8Array }

function nativeOf(read: ReadRequest, base: object, nativeKey: symbol): Request {
  // Without it, old versions throw, because Node's stream has been read.
  if (read[BELOW]) read[BELOW].rawBody ??= Buffer.from(read[BYTES])
  return Reflect.get(base, nativeKey).call(read)
}
