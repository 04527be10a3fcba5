import { signAs } from '../../../src/signing/sign-as.ts'
import { type AnyScheme, canSign, hasKeyPair } from '../../signing/schemes.ts'
import { type Finding, notesOf } from './finding.ts'
import { problemCode, type Receiver } from './receiver.ts'

/** Not JSON: refused behind its signature, so no handler runs. White space that proxies tend to rewrite. */
const NOT_JSON = '{ "doctor" :\t[ 1.0 , "\\u00e9é" ]\r\n'

/** What the answer to a delivery that is signed as the sender signs says about the secret and the way. */
export async function checkSenderSignature(
  receiver: Receiver,
  factory: AnyScheme,
  secret: string | undefined,
  publicUrl: URL,
): Promise<Finding[]> {
  const { ok, warn, fail, skip } = notesOf('signature')
  const { sender } = factory.scheme
  if (secret === undefined)
    return [skip('no secret was given', 'set HOOKGATE_SECRET, or give --secret-file FILE')]
  if (!canSign(factory) || hasKeyPair(factory))
    return [skip(`only ${sender} can sign its deliveries`, `send a test delivery from ${sender}`)]
  const request = await signAs(factory, { secret, body: NOT_JSON, publicUrl: publicUrl.href }).catch(
    () => undefined,
  )
  if (request === undefined)
    return [skip(`${sender} signs values of the body`, 'send one with hookgate send --scheme NAME')]
  const answer = await receiver.send(request)
  const code = problemCode(answer) ?? `${answer.status}`
  if (code === 'body_not_json') {
    return [
      notesOf('proxy').ok('the signed headers and the body arrive'),
      ok(`the receiver accepts signatures as ${sender} makes them with this secret`),
    ]
  }
  if (code === 'unauthorized') {
    const fix =
      'give both sides the same secret; if they have it, a proxy changes the body or a signed header'
    return [fail('the receiver does not accept this signature', fix)]
  }
  return [warn(`the receiver answers ${code} to a body that is not JSON`, 'see the other findings')]
}
