import type { Express, RequestHandler } from 'express'
import type { Listener } from '../../../src/index.ts'

/** What a program has in front of `verifyWebhook`. */
export type Before =
  | 'nothing'
  | 'a parser'
  | 'a parser whose result is written again'
  | 'a reader of text'
  | 'a reader that keeps nothing'

export function appOf(
  verifyWebhook: (listener: Listener) => RequestHandler,
  listener: Listener,
  before?: Before,
): Express
