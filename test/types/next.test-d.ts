import { expectTypeOf, test } from 'vitest'
import { POST as nextRoute } from '../../examples/web/next'

test('it fits a route handler of Next.js', () => {
  // NextRequest extends Request.
  type NextRequest = Request & { readonly nextUrl: URL; readonly cookies: object }
  type RouteContext = { readonly params: Promise<object> }
  expectTypeOf(nextRoute).toExtend<(request: NextRequest, context: RouteContext) => Promise<Response>>()
})
