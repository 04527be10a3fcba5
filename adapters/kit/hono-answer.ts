import type { Context } from 'hono'
import type { StatusOf } from './settle.ts'

/** Reads the status of a Hono response. Without a response it is 500; an HTTPException has its own. */
export function honoStatus(c: Context): StatusOf<unknown> {
  return {
    answer: () => (c.finalized ? c.res.status : 500),
    thrown: (error) => ('getResponse' in Object(error) ? Number(Object(error).status) : 500),
  }
}
