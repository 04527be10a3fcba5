/** Encodes bytes, and lists other spellings that a lenient decoder reads as the same bytes. */

export const spell = (bytes, encoding) =>
  encoding === 'upper-case-hex'
    ? Buffer.from(bytes).toString('hex').toUpperCase()
    : Buffer.from(bytes).toString(encoding)

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Sets a bit of the last base64 character that decoders drop. */
function withStrayBits(text) {
  const end = text.replace(/=+$/, '').length - 1
  const stray = BASE64[BASE64.indexOf(text[end]) + 1]
  return text.slice(0, end) + stray + text.slice(end + 1)
}

/** `[name, spelling]` for each spelling that differs from the right one. */
export function otherSpellings(bytes, encoding) {
  const right = spell(bytes, encoding)
  const all =
    encoding === 'upper-case-hex'
      ? [
          ['in lower-case hex', right.toLowerCase()],
          ['in base64 instead of hex', spell(bytes, 'base64')],
        ]
      : encoding === 'hex'
        ? [
            ['in upper-case hex', right.toUpperCase()],
            ['in base64 instead of hex', spell(bytes, 'base64')],
          ]
        : encoding === 'base64'
          ? [
              ['in base64url', right.replaceAll('+', '-').replaceAll('/', '_')],
              ['without its padding', right.replace(/=+$/, '')],
              ['with stray bits in the last character', right.includes('=') ? withStrayBits(right) : right],
              ['with more padding', `${right}=`],
              ['in hex instead of base64', spell(bytes, 'hex')],
            ]
          : [
              ['in padded base64', spell(bytes, 'base64')],
              ['in hex instead of base64url', spell(bytes, 'hex')],
            ]
  return all.filter(([, text]) => text !== right)
}
