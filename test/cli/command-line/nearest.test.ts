import { expect, it } from 'vitest'
import { nearest } from '../../../cli/command-line/nearest.ts'

it('a name that is near to none gets none, however short or long', () => {
  expect(nearest('colour', ['onVerdict', 'onError'])).toBeUndefined()
  expect(nearest('ab', ['id', 'on'])).toBeUndefined()
  expect(nearest('a'.repeat(100_000), ['auth', 'a'.repeat(40)])).toBeUndefined()
})

it.each([
  ['onverdict', 'onVerdict'],
  ['onVerdit', 'onVerdict'],
  ['oNVerdcit', 'onVerdict'],
  ['maxBody', 'maxBodyBytes'],
  ['onErr', 'onError'],
  ['verdict', 'onVerdict'],
])('%s means %s', (given, meant) => {
  expect(nearest(given, ['id', 'maxBodyBytes', 'onVerdict', 'onError'])).toBe(meant)
})

it('two changes are near, three are not', () => {
  expect(nearest('leaseSec', ['xxleaseSec'])).toBe('xxleaseSec')
  expect(nearest('leaseSec', ['xxxleaseSec'])).toBeUndefined()
})

it('the nearest comes before what is listed first', () => {
  expect(nearest('keeq', ['keer', 'keep', 'keeq2'])).toBe('keeq2')
  expect(nearest('portt', ['postt2', 'port'])).toBe('port')
})
