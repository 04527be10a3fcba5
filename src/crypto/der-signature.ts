/** Converts r and s (RFC 7518 3.4) to an Ecdsa-Sig-Value (RFC 3279 2.2.3), which needs no `{ key, dsaEncoding }`. */
export function derSignature(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 64) return undefined
  const der = new Uint8Array(72)
  let end = 2
  for (let start = 0, next = 32; next <= 64; start = next, next += 32) {
    // DER integers are minimal, with a leading zero if the first bit is set, because that is the sign bit.
    while (start < next - 1 && signature[start] === 0) start += 1
    const zero = (signature[start] ?? 0) >> 7
    const length = zero + next - start
    der.set([0x02, length], end)
    der.set(signature.subarray(start, next), end + 2 + zero)
    end += 2 + length
  }
  der.set([0x30, end - 2])
  return der.subarray(0, end)
}
