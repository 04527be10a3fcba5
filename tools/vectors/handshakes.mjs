import { codeHandshakes } from './handshakes-code.mjs'
import { otherHandshakes } from './handshakes-other.mjs'
import { signedHandshakes } from './handshakes-signed.mjs'

export const handshakes = [...signedHandshakes(), ...otherHandshakes(), ...codeHandshakes()]

export const serialiseHandshakes = (all) => `${JSON.stringify(all, null, 2)}\n`
