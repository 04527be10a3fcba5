import { headerPairs } from './delivery.ts'
import { area, field, readForm, setBody } from './form.ts'
import { schemeOf } from './senders.ts'

/** A button's effect on the form, and the sentence that reports it. */
export type Action = () => Promise<string>

/** Replaces the headers, and the body if it contains the signature. */
export async function sign(): Promise<string> {
  const [{ signed }, { headerLines }] = await Promise.all([
    import('./sign.ts'),
    import('../../../cli/command-line/shell.ts'),
  ])
  const { headers, body, url } = await signed(readForm())
  if (url !== undefined) field('url').value = url
  area('headers').value = headerLines(headers).join('\n')
  setBody(new TextEncoder().encode(body))
  return 'Signed with a new time and ID.'
}

/** Changes the last letter or digit, so JSON stays JSON. */
export async function tamper(): Promise<string> {
  const { body } = readForm()
  const changed = body.replace(/[a-z0-9](?=[^a-z0-9]*$)/i, (last) => (last === '0' ? '1' : '0'))
  area('body').value = changed === body ? `${body} ` : changed
  return 'Changed one byte of the body.'
}

export async function copyCurl(): Promise<string> {
  const { curlCommand, dataOption } = await import('../../../cli/command-line/shell.ts')
  const { url, headers, bytes } = readForm()
  const pairs = headerPairs(headers).map(([name, values]) => [name, values.join(', ')])
  const data = dataOption(bytes)
  if (data === undefined) return 'No curl command can hold this body.'
  await navigator.clipboard.writeText(curlCommand(url, Object.fromEntries(pairs), data))
  return 'Copied. The command holds the signature and not the secret.'
}

export async function makeSecret(): Promise<string> {
  const { newSecret } = await import('./keys.ts')
  field('secret').value = newSecret(await schemeOf(readForm().scheme))
  return ''
}

export async function makePair(): Promise<string> {
  const { newKeyPair } = await import('./keys.ts')
  const scheme = await schemeOf(readForm().scheme)
  const { privateJwk, publicKey } = await newKeyPair(scheme)
  field('private-key').value = privateJwk
  if (scheme === undefined) area('jwks').value = publicKey
  else field('secret').value = publicKey
  return 'Made a pair. The receiver has the public key.'
}
