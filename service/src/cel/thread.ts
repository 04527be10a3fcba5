import { parentPort } from 'node:worker_threads'
import { celError, evaluateHere } from './engine.ts'

/** A request to a thread. One at a time. */
export interface Question {
  readonly expression: string
  /** JSON. */
  readonly ctx: string
}

/** JSON, or the message of a CelError. */
export type Answer = { readonly result: string } | { readonly refused: string }

parentPort?.on('message', ({ expression, ctx }: Question) => {
  parentPort?.postMessage(answerTo(expression, ctx))
})
parentPort?.postMessage('ready')

function answerTo(expression: string, ctx: string): Answer {
  try {
    return { result: evaluateHere(expression, ctx) }
  } catch (error) {
    return { refused: celError(error).message }
  }
}
