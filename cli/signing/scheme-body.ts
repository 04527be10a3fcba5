import { randomBytes } from 'node:crypto'
import { memberAt, pointerSteps } from '../../src/lib/json.ts'
import { isCount, writeTime } from '../../src/lib/time.ts'
import type { TimeForm } from '../../src/scheme.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'

/** The type of a made body, if nobody names one. */
export const MADE_TYPE = 'sample'

/** A new event with the members that the row names, so that the scheme accepts it once it is signed. A time in the body is now. */
export function madeBody(scheme: SenderScheme, type = MADE_TYPE): string {
  const { eventId, eventType, timestamp, signature } = scheme
  const unique = randomBytes(25).toString('hex')
  const body: object = { hookgate: `sample ${unique}` }
  if (eventType && 'member' in eventType) setMember(body, eventType.member, type)
  for (const pointer of signedMembers(scheme)) setMember(body, pointer, unique)
  if (eventId && 'member' in eventId) setMember(body, eventId.member, unique)
  if (timestamp && 'member' in timestamp)
    setMember(body, timestamp.member, memberTime(timestamp, nowSeconds()))
  if (signature.member) setMember(body, signature.member, '') // so that its parent exists
  const { content = [], jsonField } = scheme
  // Mandrill sends a list of events in a field.
  if (content[0] === 'form' && jsonField)
    return `${new URLSearchParams({ [jsonField]: JSON.stringify([body]) })}`
  return JSON.stringify(body)
}

/** JSON pointers to what is signed, if the body itself is not. */
export function signedMembers({ signs }: SenderScheme): readonly string[] {
  if (typeof signs === 'function') return []
  return typeof signs === 'string'
    ? (signs.match(/(?<=\{)\/[^}]+/g) ?? [])
    : signs.filter((name) => name[0] === '/')
}

export function withMember(body: string, pointer: string, value: unknown): string {
  const changed = JSON.parse(body)
  setMember(changed, pointer, value)
  return JSON.stringify(changed)
}

/** The body as if it was sent at this time, if it holds the time. */
export function withTime(body: string, time: TimeForm, seconds: number): string {
  return 'member' in time ? withMember(body, time.member, memberTime(time, seconds)) : body
}

/** Whether the time is signed. A template has names in braces, and a list has bare names. */
export function signsTime({ signs }: SenderScheme): boolean {
  return (
    typeof signs !== 'function' && signs.includes(typeof signs === 'string' ? '{timestamp}' : 'timestamp')
  )
}

function memberTime({ unit, asText }: TimeForm, seconds: number): string | number {
  const time = writeTime(unit, seconds)
  return asText || !isCount(unit) ? time : Number(time)
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Makes the objects on the way, and an array where a step is a number. */
function setMember(root: object, pointer: string, value: unknown): void {
  const steps = pointerSteps(pointer)
  steps.forEach((step, index) => {
    const parent = memberAt(root, steps.slice(0, index))
    const isLast = index === steps.length - 1
    const container = /^\d+$/.test(steps[index + 1] ?? '') ? [] : {}
    const known = memberAt(root, steps.slice(0, index + 1))
    if (isLast) Reflect.set(Object(parent), step, value)
    else if (typeof known !== 'object' || known === null) Reflect.set(Object(parent), step, container)
  })
}
