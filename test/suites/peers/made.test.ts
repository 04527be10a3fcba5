import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../../tools/vectors/deliver.mjs'
import { handshakes, serialiseHandshakes } from '../../../tools/vectors/handshakes.mjs'
import { recipes } from '../../../tools/vectors/recipes.mjs'
import { serialise } from '../../../tools/vectors/serialise.mjs'
import { holdToSigner } from '../../../tools/vectors/signer.mjs'
import { vectorsOf } from '../../../tools/vectors/vectors.mjs'
import { vectorFiles } from './vector-files.ts'

const written = (name: string) =>
  readFileSync(new URL(`../../vectors/schemes/${name}.json`, import.meta.url), 'utf8')

/** `npm run test:peers` installs a newer SDK than the file was made with; CI keeps the one of the lock. */
const comparable = (text: string) =>
  process.env.HOOKGATE_PEERS === 'locked' ? text : text.replace(/^ {2}"madeWith": .*$/m, '')

const known: readonly { readonly scheme: string; readonly sdk?: string }[] = recipes

/** Answers for the SDK from the file. sdk-verdicts.test.ts asks the SDK itself. */
function asWritten(scheme: string) {
  const cases = vectorFiles.find((vectors) => vectors.scheme === scheme)?.cases ?? []
  return async (_sender: unknown, _head: unknown, given: { readonly name: string }) =>
    cases.find(({ name }) => name === given.name)?.sdk
}

describe('make-vectors.mjs', () => {
  it.each(known)('make-vectors.mjs makes exactly the committed file of $scheme', async (recipe) => {
    const made = serialise(await vectorsOf(recipe, asWritten(recipe.scheme)))
    expect(comparable(made)).toBe(comparable(written(recipe.scheme)))
  })

  it('make-vectors.mjs signs like the SDKs that can sign', async () => {
    const held: string[] = []
    for (const recipe of known) {
      if (recipe.sdk && (await holdToSigner(recipe, deliver))) held.push(recipe.scheme)
    }
    expect(held.sort()).toEqual([
      'adyen-platform',
      'bigcommerce',
      'cloudinary',
      'coinbase-commerce',
      'gateway',
      'gemini',
      'github',
      'hubspot',
      'incident-io',
      'loops',
      'mcp-events',
      'modern-treasury',
      'notion',
      'pleo',
      'recall-ai',
      'render',
      'safebase',
      'sanity',
      'sardine',
      'shipbob',
      'standard-webhooks',
      'stripe',
      'stytch',
      'supabase',
      'svix',
      'twilio',
      'workos',
    ])
  })

  it('make-vectors.mjs has a recipe for each file', () => {
    expect(known.map(({ scheme }) => scheme).sort()).toEqual(vectorFiles.map(({ scheme }) => scheme).sort())
  })

  it('make-vectors.mjs makes exactly the committed handshakes.json', () => {
    expect(serialiseHandshakes(handshakes)).toBe(written('handshakes'))
  })
})
