import { z } from '@hono/zod-openapi'
import { orNull } from '../http/or-null.ts'
import { timestamp } from '../http/timestamp.ts'

const cidr = z
  .string()
  .refine(
    (given) => !given.endsWith('/0'),
    'allows every address; to allow them all, set allowedCidrs to null',
  )

const cidrsSchema = z
  .array(cidr)
  .min(1)
  .max(100)
  .openapi({ description: 'The networks that may send, e.g. `192.0.2.0/24`.', examples: [['192.0.2.0/24']] })

const jwksUrlSchema = z
  .url()
  .max(2_000)
  .openapi({ description: "The `https:` URL of the sender's JWKS, at a public address." })

const jwtSchema = z.strictObject({ jwksUrl: jwksUrlSchema }).openapi('IncomingWebhookJwt')

/** Exactly one authentication method. */
export const newWebhookSchema = z
  .strictObject({
    allowedCidrs: cidrsSchema.nullish(),
    hmac: z.strictObject({}).nullish().openapi({ description: 'The service generates the secret.' }),
    jwt: orNull(jwtSchema).optional(),
  })
  .refine(({ hmac, jwt }) => !hmac !== !jwt, { error: 'Set exactly one of hmac and jwt.' })
  .openapi('NewIncomingWebhook')

/** Absent fields stay unchanged. `allowedCidrs: null` lets every address send. The method cannot change. */
export const webhookPatchSchema = z
  .strictObject({ allowedCidrs: cidrsSchema.nullish(), jwt: jwtSchema.optional() })
  .openapi('IncomingWebhookPatch')

export const liveSecretSchema = z
  .object({ id: z.string(), createdAt: timestamp })
  .openapi('LiveSecret', { description: 'The secret itself is not returned again.' })

export const webhookSchema = z
  .object({
    listenerId: z.string(),
    url: z
      .string()
      .openapi({ description: 'The URL that the sender posts to. In JWT mode also the required `aud`.' }),
    allowedCidrs: z.array(z.string()).nullable(),
    hmac: z.object({ secrets: z.array(liveSecretSchema) }).nullable(),
    jwt: z.object({ jwksUrl: z.string() }).nullable(),
  })
  .openapi('IncomingWebhook')

export const signingSecretSchema = z
  .object({
    id: z.string().openapi({ description: 'Identifies the secret in runs and in the automation.' }),
    secret: z.string().openapi({ description: '256 bits as base64url. Shown only here.' }),
  })
  .openapi('SigningSecret')

export type LiveSecret = z.infer<typeof liveSecretSchema>
export type NewWebhook = z.infer<typeof newWebhookSchema>
export type WebhookPatch = z.infer<typeof webhookPatchSchema>
export type IncomingWebhook = z.infer<typeof webhookSchema>
export type SigningSecret = z.infer<typeof signingSecretSchema>
