import { hmac } from './sign.mjs'

export const item = (more = {}) => ({
  pspReference: '7914073381342284',
  originalReference: undefined,
  merchantAccountCode: 'TestMerchant',
  merchantReference: 'TestPayment-1407325143704',
  amount: { currency: 'EUR', value: 1130 },
  eventCode: 'AUTHORISATION',
  success: 'true',
  eventDate: '2025-11-20T11:59:59+01:00',
  reason: '01234:1111:12/2030',
  ...more,
})

export const covered = (each) =>
  [
    each.pspReference,
    each.originalReference,
    each.merchantAccountCode,
    each.merchantReference,
    each.amount?.value,
    each.amount?.currency,
    each.eventCode,
    each.success,
  ].join(':')

/** Adyen puts the signature of an item inside the item. */
export function signed(each, secret, write = (raw) => raw.toString('base64')) {
  const raw = hmac('sha256', Buffer.from(secret, 'hex'), [covered(each)])
  return { ...each, additionalData: { hmacSignature: write(raw) } }
}

export const notification = (...items) => ({
  live: 'false',
  notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem })),
})
