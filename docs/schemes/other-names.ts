/** Names by which a sender is also looked for: its products, former names, and who delivers for it. By the name of the scheme. */
export const OTHER_NAMES: { readonly [scheme: string]: readonly string[] } = {
  'adyen-platform': ['Adyen Balance Platform'],
  anthropic: ['Claude'],
  bitbucket: ['Atlassian'],
  box: ['Box.com'],
  cloudevents: ['Azure Event Grid'],
  dodo: ['DodoPayments'],
  'dropbox-sign': ['HelloSign'],
  graph: ['Microsoft 365', 'Office 365', 'Outlook'],
  meta: ['Facebook', 'Instagram', 'Messenger', 'WhatsApp'],
  openai: ['ChatGPT'],
  pubsub: ['Google Cloud', 'GCP'],
  qstash: ['Upstash'],
  rfc9421: ['RFC 9421'],
  sendgrid: ['Twilio SendGrid'],
  sns: ['AWS', 'Simple Notification Service'],
  woocommerce: ['WordPress'],
}
