/** How the code of each row that is not data verifies a delivery, exactly enough to write it again. Keys and tokens: constant time. */
export const CODE_ROWS: { readonly [scheme: string]: string } = {
  adyen:
    'For each of at most 64 `/notificationItems/*/NotificationRequestItem`: HMAC-SHA256 in base64 is in `/additionalData/hmacSignature`, by the secret from hex, over the item’s /pspReference, /originalReference, /merchantAccountCode, /merchantReference, /amount/value, /amount/currency, /eventCode and /success, joined by `:`. An absent member is empty, an integer is in decimals, and any other type refuses. All items must fit; then a delivery with more than one is refused as `body_malformed`. The signed text is claimed.',
  'app-store':
    '`/signedPayload` is a JWS of ES256. Its `x5c` has three certificates, leaf first: the intermediate is signed by the configured root, never by one that is sent, is a CA and has the extension 1.2.840.113635.100.6.2.1; the leaf is signed by it, has a P-256 key and 1.2.840.113635.100.6.11.1. Both, and the root, are valid at `signedDate`, give or take 60 seconds. `bundleId`, in production `appAppleId`, and the environment are those configured; they are in `data`, `summary`, `externalPurchaseToken` or `appData`. The payload is the decoded JWS.',
  braintree:
    'The form’s `bt_signature` is a list of `publicKey|signature`, joined by `&`. Of the first 10 with the configured public key, one is HMAC-SHA1 in hex, by the SHA-1 of the private key, over `bt_payload`, or over it and a line feed. `bt_payload` has only characters of base64 and line feeds. A payload of 20 to 32 lower-case hexadecimal digits is refused, because the handshake signs such texts for anyone: a GET with `bt_challenge` of that form is answered with `publicKey|signature` as text.',
  chargebee:
    'HTTP Basic (RFC 7617): `Authorization` is `Basic `, in any letter case, and the base64 of `user:password` in UTF-8, which is the secret.',
  cloudevents:
    'The secret is `Authorization`, with or without `Bearer ` in any letter case, or the query’s `access_token`, but not both. In structured mode (`application/cloudevents+json`) source, ID and type are members, in binary mode headers `ce-…`. What counts as signed, and is claimed, is the JSON `[source,id]`, and the body of a batch, or of an event without them. An OPTIONS with `WebHook-Request-Origin` is answered with the same in `WebHook-Allowed-Origin`, `WebHook-Allowed-Rate: *`, and `Allow: POST`, if the origin is allowed.',
  cloudinary:
    '`X-Cld-Signature` is a plain hash in hex, of body, timestamp and secret without a separator: SHA-256 if it has 64 digits, else SHA-1. Body and timestamp are claimed.',
  'coinbase-cdp':
    '`X-Hook0-Signature` has items `t=`, `v0=`, `h=` and `v1=`, joined by commas. Both versions are HMAC-SHA256 in hex, and each that is there has to match: a `v0=` is over `{t}.{body}`, a `v1=` over `{t}.{h}.{values}.{body}`: `h` is at most 64 lower-case header names, joined by blanks, and their values are joined by dots, each there once.',
  contentful:
    'HMAC-SHA256 in hex over four lines: the method, the path with its query, the signed headers, the body. The query, up to a second `?`, is encoded by `encodeURIComponent`, then path and query by `encodeURI`, as ECMAScript does. The headers are those that `X-Contentful-Signed-Headers` lists, at most 64, each once, sorted, as `name:value` joined by `;`; the list and the timestamp must be among them. The path is the configured one; a query is as `{url}` says.',
  deepgram:
    'HTTP Basic (RFC 7617): `Authorization` is `Basic `, in any letter case, and the base64 of `user:password` in UTF-8, which is the secret.',
  'dropbox-sign':
    'The template is data: HMAC-SHA256 in hex over `{/event/event_time}{/event/event_type}`, in `/event/event_hash`. The JSON is in the field `json` of `multipart/form-data`: the delimiter is the first line, of at most 72 bytes, and the field is there once.',
  graph:
    'The `clientState` of each of 1 to 1,000 notifications in `/value` is one of the secrets. If app and tenant IDs are configured, each of at most 50 `validationTokens` is a JWT of RS256 by a key of login.microsoftonline.com, whose `iss` is `https://sts.windows.net/{tenant}/` (with `appid`) or `https://login.microsoftonline.com/{tenant}/v2.0` (with `azp`), `aud` one of the apps, and `appid` or `azp` 0bf30f3b-4a52-48df-9a82-234910c4a086; `encryptedContent` without tokens is refused. A POST with `validationToken` in its query is answered with it, as text.',
  hubspot:
    'The template is data: HMAC-SHA256 in base64 over `{method}{url}{body}{timestamp}`. In `{url}`, the codes %3A %2F %3F %40 %21 %24 %27 %28 %29 %2A %2C and %3B are decoded, and no others. A URL whose path has %3F, and a query whose parameters the decoding changes, are refused.',
  hygraph:
    '`gcms-signature` is `sign=…, env=…, t=…`. The signature is HMAC-SHA256 in base64 over `{"Body":…,"EnvironmentName":…,"TimeStamp":…}`, as `JSON.stringify` writes it: the body as a string, the name, and `t` as a number.',
  livekit:
    '`Authorization`, without `Bearer`, is a JWT of HS256 by the secret. `iss` is the configured API key, `exp` is at most a day ahead and not past, `nbf` at most 10 seconds ahead. `sha256` is the SHA-256 of the body in base64, with or without padding. The signed part of the token is claimed too.',
  mandrill:
    'HMAC-SHA1 in base64 over the configured URL, `mandrill_events` and the value of that field, which is the only one of the form. The request has the same query. The payload is the form, with the field as JSON. A HEAD is answered with 200.',
  'mercado-pago':
    '`x-signature` has `ts=` and `v1=` once each, joined by commas. `v1` is HMAC-SHA256 in hex over `id:{data.id};request-id:{x-request-id};ts:{ts};`, where pairs without a value are left out, and `data.id` of the query is as it is or in lower case. Neither has a `;`. If the query has one, `/data/id` of the body must be the same but for letter case. `ts` of at most 12 digits is in seconds, else in milliseconds. The signed text is claimed, and `/id` of the body; if `/id` is that of the resource in the query, the whole header is claimed in its place.',
  monday:
    '`Authorization`, without `Bearer`, is a JWT of HS256 by the secret. `aud` is the configured URL, `exp` at most a day ahead and not past. It does not cover the body, which is claimed. A POST of at most 1,024 bytes with the member `challenge` alone is answered with the same JSON. The type is `/event/type` or `/type`.',
  netlify:
    '`X-Webhook-Signature` is a JWT of HS256 by the secret. `iss` is `netlify`, and `sha256` the SHA-256 of the body in hex. It has no times; if it has, they hold. The signed part of the token is claimed.',
  paypal:
    '`PayPal-Transmission-Sig` is RSA (PKCS #1 v1.5, SHA-256) in base64 over `{id}|{time}|{webhook ID}|{CRC-32 of the body in decimals}`: PayPal-Transmission-Id, PayPal-Transmission-Time and the configured ID. PayPal-Auth-Algo is `SHA256withRSA`. The key is that of the certificate at PayPal-Cert-Url, on https://api.paypal.com, api-m.paypal.com, api.sandbox.paypal.com or api-m.sandbox.paypal.com, directly below /v1/notifications/certs/. The signed text and `/id` are claimed.',
  pipedrive:
    'HTTP Basic (RFC 7617): `Authorization` is `Basic `, in any letter case, and the base64 of `user:password` in UTF-8, which is the secret. The type is `/meta/action` and `/meta/entity`, joined by a dot.',
  plaid:
    '`Plaid-Verification` is a JWT of ES256. Its `kid` names a key that Plaid’s API returns to your client, and whose `expired_at` is null. `request_body_sha256` is the SHA-256 of the body in hex. `iat` is the time of the attempt, at most 300 seconds off. The signed part of the token is claimed.',
  plivo:
    'A header holds signatures, joined by commas. Each is HMAC-SHA256 in base64 over the configured URL, the form and `.{nonce}` of X-Plivo-Signature-V3-Nonce, which has 1 to 128 letters, digits, `_` or `-`. The query’s parameters are sorted by name and value, decoded and joined by `&`, after a `?` that is there if there are any parameters or fields; fields are sorted so too, and names and values joined without a separator, after a `.` if there are parameters and fields. The request has the same query.',
  postmark:
    'HTTP Basic (RFC 7617): `Authorization` is `Basic `, in any letter case, and the base64 of `user:password` in UTF-8, which is the secret.',
  pubsub:
    '`Authorization` is `Bearer ` and a JWT of RS256 by a key of https://www.googleapis.com/oauth2/v3/certs. `iss` is `https://accounts.google.com` or `accounts.google.com`, `aud` and `email` are those configured, `email_verified` is true, `iat` is at most 300 seconds ahead, `exp` at most a day ahead and not past. It does not cover the body. The ID is X-Goog-Pubsub-Message-Id or `/message/messageId`; X-Goog-Pubsub-Subscription-Name or `/subscription`, a line feed and the ID are claimed.',
  qstash:
    '`Upstash-Signature` is a JWT of HS256 by the secret. `iss` is `Upstash`, `sub` the configured URL, with the query of the request if it has none, `exp` at most a day ahead and not past, `nbf` at most 10 seconds ahead. `body` is the SHA-256 of the body in base64url, with or without padding. The signed part of the token and Upstash-Message-Id are claimed.',
  revenuecat:
    'With `X-RevenueCat-Webhook-Signature`, the row is data: HMAC-SHA256 in hex over `{timestamp}.{body}`. Without, `Authorization` is the secret, in full, nothing is signed, and no time is checked.',
  rfc9421:
    'HTTP Message Signatures (RFC 9421) over `content-digest` and the components that are configured, by HMAC-SHA256, RSA-PSS, RSA v1.5, ECDSA or Ed25519. `Content-Digest` (RFC 9530) fits the body. Derived components are those of the configured URL, with the query of the request if it has none. `created` is required, and is the time of the attempt; `expires` is not past; `alg` and `keyid` fit the key. The values of the configured components and the body are claimed.',
  sns: '`/Signature` is RSA (PKCS #1 v1.5) in base64, by SHA-1 or SHA-256 for `/SignatureVersion` 1 or 2, over lines of a name and lines of a value: of a Notification Message, MessageId, Subject if there is one, Timestamp, TopicArn, Type; of the others Message, MessageId, SubscribeURL, Timestamp, Token, TopicArn, Type. Only Message may have line feeds. The key is that of the certificate at `/SigningCertURL`, `https://sns.{region}.amazonaws.com/….pem` or the same of another partition. The topic is a configured one. A SubscriptionConfirmation for it is answered by fetching SubscribeURL, which is on such a host.',
  twilio:
    'HMAC-SHA1 in base64 over the URL and what follows. Of a form: names and values, sorted by name, without a separator; repeated values are sorted and distinct. Of JSON: the query parameter `bodySHA256`, the body’s SHA-256 in hex, which is in the URL. Of a GET: nothing. The URL is tried with and without its port, and as a parser writes it. An added query must have an end that is signed: a form begins with `AccountSid`, which the query does not contain.',
  'vercel-connect':
    '`Authorization` is `Bearer ` and a JWT of RS256 by a key of https://oidc.vercel.com/.well-known/jwks. `iss` is `https://oidc.vercel.com` or begins with it and `/`, `project_id` and `environment` are configured ones, and `owner_id` if it is configured. `exp` is at most a day ahead and not past, `nbf` at most 60 seconds ahead. It does not cover the body, which is claimed.',
  wix: 'The body is a JWT of RS256 by the public key. `exp` and `nbf`, if there, hold. The payload is the JSON in its claim `data`, whose texts `data` and `identity` are JSON again. `/data/id` of it is claimed, or else the token.',
}
