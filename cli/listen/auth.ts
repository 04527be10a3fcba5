import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Authenticator, generateSecret, hmac } from '../../src/index.ts'
import { hasKeyPair } from '../../src/schemes/kit/compile-scheme.ts'
import { withQueryOf } from '../../src/schemes/kit/signed-url.ts'
import { signHmac, signJwt } from '../../src/signing/sign.ts'
import { signAs } from '../../src/signing/sign-as.ts'
import { UsageError } from '../command-line/exit.ts'
import { HOOKGATE } from '../command-line/invocation.ts'
import { remark } from '../command-line/output.ts'
import { shellOption, shellQuote } from '../command-line/shell.ts'
import { refuseStray } from '../command-line/values.ts'
import { endpointOf } from '../signing/endpoint.ts'
import { openKeySet, PRIVATE_KEY_FILE, readPrivateKey } from '../signing/key-files.ts'
import { sampleOf, sampleOption, typeOf } from '../signing/samples.ts'
import {
  canSign,
  checkKeyIdHasScheme,
  checkUsesUrl,
  loadScheme,
  schemeReceiver,
  usesUrl,
} from '../signing/schemes.ts'
import { findSecret } from '../signing/secrets.ts'
import { targetOf } from '../signing/signer.ts'
import type { SendCommand } from './next-command.ts'
import type { AuthValues } from './options.ts'

/** How deliveries are authenticated, and the `send` command that fits. */
export interface ListenAuth {
  /** Called once the port, and so the listener's own URL, is known. */
  authFor(url: string): Authenticator | Promise<Authenticator>
  /** The `send` command for this listener. Undefined if `send` cannot sign as the sender. */
  sendCommand(url: string): SendCommand | undefined
  /** Whether the secret is new, so that the command needs it in HOOKGATE_SECRET. */
  readonly isNewSecret?: boolean
  /** Whether that secret was supplied, so that it is not shown, and the command holds nothing that leads to it. */
  readonly isGivenSecret?: boolean
  readonly remark: string
  /** The shared secret, if there is one. Never shown. */
  readonly secret?: string
  /** The token that the sender repeats in its handshake, if there is one. Never shown. */
  readonly verifyToken?: string | undefined
  /** Secrets that senders have brought so far, if one is awaited. */
  readonly brought?: readonly string[]
}

type ListenAuthValues = AuthValues & { readonly 'forward-to'?: string }

/** Strangers can send many. */
const MOST_BROUGHT = 8
const HELLO = '{"hello":"world"}'
const WITH_HELLO = ` --data '${HELLO}'`

/** @throws UsageError for options of two methods: a listener has exactly one. */
export async function chooseAuth(given: ListenAuthValues): Promise<ListenAuth> {
  checkOneAuth(given)
  if (given.scheme !== undefined) return chooseScheme(given.scheme, given)
  return given.jwks === undefined ? chooseHmac(given['secret-file']) : chooseJwt(given.jwks, given)
}

function checkOneAuth(given: AuthValues): void {
  checkKeyIdHasScheme(given)
  const { scheme, jwks } = given
  if (scheme === undefined) refuseStray(given, ['verify-token-file'], 'is for --scheme meta')
  if (scheme !== undefined && jwks !== undefined) throw new UsageError('give --scheme or --jwks, not both')
  if (jwks !== undefined) {
    if (given['secret-file'] !== undefined) throw new UsageError('give --jwks or --secret-file, not both')
    return
  }
  refuseStray(given, ['tenant-url', 'allow-insecure-loopback'], 'is for JWT: add --jwks')
  if (scheme === undefined) refuseStray(given, ['public-url'], 'is for JWT: add --jwks')
}

async function chooseScheme(name: string, given: ListenAuthValues): Promise<ListenAuth> {
  const factory = await loadScheme(name)
  if (given['forward-to'] === undefined) checkUsesUrl(factory, given) // an app gets it as X-Forwarded-Host
  const { 'secret-file': secretFile, 'public-url': publicUrl, 'key-id': keyId } = given
  const { scheme } = factory
  const brought: string[] = []
  const receiver = await schemeReceiver(factory, given, ({ secret }) => {
    if (brought.length >= MOST_BROUGHT || brought.includes(secret)) return
    brought.push(secret)
    remark(`The ${scheme.secretName}, as somebody has sent it: ${secret}`)
    remark(
      `If ${scheme.sender} asks for it, enter it there. Then set HOOKGATE_SECRET to it, and start again.`,
    )
    if (brought.length === MOST_BROUGHT)
      remark('No more are printed. Somebody else knows the URL: start again behind another one.')
  })
  receiver.authFor(publicUrl ?? 'http://127.0.0.1/') // fails before the port is opened
  const named = keyId === undefined ? '' : shellOption('--key-id', keyId)
  const isPublic = hasKeyPair(scheme)
  const canSend = isPublic ? existsSync(PRIVATE_KEY_FILE) : receiver.key !== undefined && canSign(factory)
  const key = isPublic ? ` --key ${PRIVATE_KEY_FILE}` : named + secretOption(secretFile)
  const signed = publicUrl === undefined || !usesUrl(factory) ? '' : shellOption('--public-url', publicUrl)
  const sign = async (url: string) => {
    const keys = isPublic
      ? { privateKey: await readPrivateKey(PRIVATE_KEY_FILE) }
      : { secret: receiver.key, keyId }
    const event = { body: sampleOf(scheme), eventType: typeOf(scheme, undefined) }
    return signAs(factory, { ...keys, ...event, publicUrl: withQueryOf(publicUrl ?? url, url) })
  }
  return {
    authFor: (url) => receiver.authFor(publicUrl ?? url),
    sendCommand: (url) =>
      canSend
        ? {
            text: `${HOOKGATE} send ${shellQuote(url)} --scheme ${name}${key}${signed} ${sampleOption(name)}`,
            target: targetOf(factory, given, url),
            sign: () => sign(url),
          }
        : undefined,
    remark:
      receiver.key === undefined
        ? `No secret is given: ${scheme.sender} sends it to this URL, and it is printed once. Anyone who knows the URL can send one.`
        : `Deliveries are verified as ${scheme.sender} signs them.`,
    verifyToken: receiver.verifyToken,
    isGivenSecret: canSend && !isPublic && secretOption(secretFile) === '',
    ...(receiver.key === undefined ? { brought } : !isPublic && { secret: receiver.key }),
  }
}

async function chooseHmac(secretFile: string | undefined): Promise<ListenAuth> {
  const found = await findSecret(secretFile)
  const secret = found?.secret ?? generateSecret()
  const auth = hmac({ secrets: { id: found?.from ?? 'generated', secret } })
  const behind = secretOption(secretFile)
  return {
    authFor: () => auth,
    sendCommand: (url) => ({
      text: `${HOOKGATE} send ${shellQuote(url)}${behind}${WITH_HELLO}`,
      target: url,
      sign: () => signHmac({ secret, body: HELLO }),
    }),
    isNewSecret: found === undefined,
    isGivenSecret: found !== undefined && behind === '',
    remark: REMARKS[found?.from ?? 'generated'],
    secret,
  }
}

/** How the printed command finds the secret. Empty if it cannot: a pipe, such as `<(pass show webhook)`, has no second time. */
function secretOption(file: string | undefined): string {
  const isThere = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile()
  return isThere ? shellOption('--secret-file', file) : ''
}

const REMARKS = {
  generated:
    'The secret is new and for this run only. To keep one, set HOOKGATE_SECRET or give --secret-file.',
  environment: 'The secret comes from HOOKGATE_SECRET.',
  file: 'The secret comes from --secret-file.',
} as const

async function chooseJwt(source: string, given: AuthValues): Promise<ListenAuth> {
  const { jwt } = await import('../../src/jwt.ts')
  const keySet = await openKeySet(source, given['allow-insecure-loopback'] ?? false)
  const isRemote = /^https?:/i.test(source)
  const sibling = join(dirname(source), PRIVATE_KEY_FILE)
  const key = [sibling, PRIVATE_KEY_FILE].find((path) => existsSync(path)) // `hookgate keys` wrote both
  return {
    authFor: (url) => jwt({ keySet, ...endpointOf(url, given) }),
    sendCommand(url) {
      if (key === undefined) return undefined // only the sender has it
      const { subject, audience } = endpointOf(url, given)
      const claims = `--tenant-url ${shellQuote(subject)} --public-url ${shellQuote(audience)}`
      return {
        text: `${HOOKGATE} send ${shellQuote(url)}${shellOption('--key', key)} ${claims}${WITH_HELLO}`,
        target: url,
        sign: isRemote
          ? undefined
          : async () => signJwt({ subject, audience, privateKey: await readPrivateKey(key), body: HELLO }),
      }
    },
    remark: 'Tokens are verified with the keys of --jwks.',
  }
}
