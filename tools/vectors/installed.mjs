/** A file of the SDKs that `npm ci --prefix test/suites/peers --ignore-scripts` installs. */
export const installed = (path) => new URL(`../../test/suites/peers/node_modules/${path}`, import.meta.url)

/** Signs with ECDSA as RFC 6979 says. */
export const { p256, p384 } = await import(installed('@noble/curves/nist.js').href)
