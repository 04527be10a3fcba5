import type { Context } from 'hono'
import type { StatusOf } from './settle.ts'

/** The statuses that Hono gives. No answer is a 500; by default Hono answers an HTTPException as that asks. */
export function honoStatus(c: Context): StatusOf<unknown> {
  return {
    answer: () => (c.finalized ? c.res.status : 500),
    thrown: (error) => ('getResponse' in Object(error) ? Number(Object(error).status) : 500),
  }
}
