import { existsSync } from 'node:fs'

/** The files of the libraries that a sender without an SDK of its own tells you to use. */
const LIBRARIES = { standardwebhooks: 'standard-webhooks', svix: 'svix' }

/** Asks the SDK of a sender: by a file of the sender's name, or else by that of the library. */
export function senderOf(scheme, sdk) {
  const file = (name) => new URL(`${name}.mjs`, import.meta.url)
  return import((existsSync(file(scheme)) ? file(scheme) : file(LIBRARIES[sdk] ?? scheme)).href)
}
