import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts secrets for the database. Its rows and backups are useless without the key. */
export interface Sealing {
  /** @param place Where the text belongs. Authenticated: the text cannot be opened with another place. */
  seal(text: string, place: string): Buffer
  /** @throws Error for another key, another place or a changed byte. */
  open(sealed: Uint8Array, place: string): string
}

/**
 * AES-256-GCM. The layout is nonce (12 bytes), tag (16 bytes), ciphertext.
 *
 * @throws TypeError unless the key has 32 bytes.
 */
export function sealingWith(key: Uint8Array): Sealing {
  if (key.byteLength !== KEY_BYTES) throw new TypeError(`the sealing key must have ${KEY_BYTES} bytes`)
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
    },
    open(sealed, place) {
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString()
    },
  }
}
