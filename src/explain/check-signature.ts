import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkHeaders } from '../checks/headers.ts'
import type { Delivery } from '../delivery.ts'
import type { Listener } from '../listener.ts'
import type { Failure } from '../reason.ts'
import { Verification } from '../verification.ts'

/** Runs the checks of the headers and of the signature. They pass if there is no `refusal`. */
export async function checkSignature(
  delivery: Delivery,
  listener: Listener<unknown>,
): Promise<{ readonly verification: Verification; readonly refusal: Failure<string> | undefined }> {
  const verification = new Verification(delivery, listener)
  return { verification, refusal: checkHeaders(verification) ?? (await checkAuthenticity(verification)) }
}
