import { expect, it } from 'vitest'
import { github } from '../../src/schemes/github.ts'
import { oddSecret } from '../../src/schemes/kit/secret-forms.ts'
import { stripe } from '../../src/schemes/stripe.ts'

it.each([
  ['whsec_for_trying', stripe.scheme],
  ['secret_for_trying', github.scheme],
])('the secret of the pages, %s, is not odd', (secret, scheme) => {
  expect(oddSecret(secret, scheme)).toBeUndefined()
})

it.each([
  ['whsec_for_testing', stripe.scheme],
  ['my-secret', github.scheme],
])('%s is odd: it is made of words', (secret, scheme) => {
  expect(oddSecret(secret, scheme)).toContain('words')
})
