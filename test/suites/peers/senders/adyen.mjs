import { hmacValidator as HmacValidator } from '@adyen/api-library'
import { text } from './reading.mjs'

const validator = new HmacValidator()

/** The loop in Adyen's documentation. */
export const verify = ({ body, secret }) =>
  JSON.parse(text(body)).notificationItems.every(({ NotificationRequestItem }) =>
    validator.validateHMAC(NotificationRequestItem, secret),
  )
