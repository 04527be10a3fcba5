import { ListenerConfigError } from '../errors.ts'
import { parseJson } from '../lib/json-text.ts'
import { memberAt, pointerSteps } from '../scheme/members.ts'
import { bodyBytes, isBytes, type SentBody, sentBody } from './body.ts'

/**
 * Adds a member, named by a JSON pointer, to the body. Returns the type that was passed. @throws
 * ListenerConfigError
 */
export function bodyWithMember<Body>(body: Body, pointer: string, text: string): SentBody<Body> {
  const parsed = parseJson(bodyBytes(body))
  const value = 'value' in parsed ? parsed.value : undefined
  const steps = pointerSteps(pointer)
  const parent = memberAt(value, steps.slice(0, -1))
  if (typeof parent !== 'object' || parent === null) {
    throw new ListenerConfigError('body', `must be JSON that can hold ${pointer}`)
  }
  Reflect.set(parent, steps.at(-1) ?? '', text)
  const written = JSON.stringify(value)
  return sentBody(isBytes(body) ? bodyBytes(written) : written) as SentBody<Body> // bytes for bytes, text otherwise
}
