import { z } from '@hono/zod-openapi'
import { orNull } from '../http/or-null.ts'
import { timestamp } from '../http/timestamp.ts'

const cidrsSchema = z
  .array(z.string())
  .min(1)
  .max(100)
  .openapi({ description: 'Networks that may send, like `192.0.2.0/24`.', examples: [['192.0.2.0/24']] })

const jwksUrlSchema = z
  .url()
  .max(2_000)
  .openapi({ description: 'Where the sender hosts its JWKS: `https:`, at a public address.' })

const jwtSchema = z.strictObject({ jwksUrl: jwksUrlSchema }).openapi('IncomingWebhookJwt')

/** Exactly one authentication method. */
export const newWebhookSchema = z
  .strictObject({
    allowedCidrs: cidrsSchema.nullish(),
    hmac: z.strictObject({}).nullish().openapi({ description: 'The service makes the secret.' }),
    jwt: orNull(jwtSchema).optional(),
  })
  .refine(({ hmac, jwt }) => !hmac !== !jwt, { error: 'Give exactly one of hmac and jwt.' })
  .openapi('NewIncomingWebhook')

/** What is left out stays; `allowedCidrs: null` lets every address send. The method stays what it is. */
export const webhookPatchSchema = z
  .strictObject({ allowedCidrs: cidrsSchema.nullish(), jwt: jwtSchema.optional() })
  .openapi('IncomingWebhookPatch')

/** The same in an object that a client read and sends back: it has what no request sets, and the method not in use. */
export const webhookUpdateSchema = webhookPatchSchema
  .extend({
    jwt: orNull(jwtSchema).optional(),
    listenerId: z.unknown().optional(),
    url: z.unknown().optional(),
    hmac: z.looseObject({}).nullish(),
  })
  .openapi('IncomingWebhookUpdate')

export const liveSecretSchema = z
  .object({ id: z.string(), createdAt: timestamp })
  .openapi('LiveSecret', { description: 'The secret itself is never returned again.' })

export const webhookSchema = z
  .object({
    listenerId: z.string(),
    url: z.string().openapi({ description: 'Where the sender posts; in JWT mode also the required `aud`.' }),
    allowedCidrs: z.array(z.string()).nullable(),
    hmac: z.object({ secrets: z.array(liveSecretSchema) }).nullable(),
    jwt: z.object({ jwksUrl: z.string() }).nullable(),
  })
  .openapi('IncomingWebhook')

export const signingSecretSchema = z
  .object({
    id: z.string().openapi({ description: 'Names the secret where runs and the automation mention it.' }),
    secret: z.string().openapi({ description: '256 bits as base64url. Shown here, and never again.' }),
  })
  .openapi('SigningSecret')

export type LiveSecret = z.infer<typeof liveSecretSchema>
export type NewWebhook = z.infer<typeof newWebhookSchema>
export type WebhookPatch = Pick<z.infer<typeof webhookUpdateSchema>, 'allowedCidrs' | 'jwt' | 'hmac'>
export type IncomingWebhook = z.infer<typeof webhookSchema>
export type SigningSecret = z.infer<typeof signingSecretSchema>
