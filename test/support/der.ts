/** A DER element (X.690 8.1), its content as bytes or in hex. */
export function der(tag: number, content: Uint8Array | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'hex') : Buffer.from(content)
  const { length } = bytes
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  const prefix = length < 128 ? [tag, length] : [tag, ...long]
  return Buffer.concat([Buffer.from(prefix), bytes])
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

/** A non-negative integer. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.alloc(1), bytes]))
}
