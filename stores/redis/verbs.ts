import { storedKey } from '../../src/event-key.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventKey, type EventStore } from '../../src/event-store.ts'
import { DONE_BY_CLAIM, knownAnswer } from '../contract.ts'
import { type Evaluate, replyText } from './client.ts'
import type { RedisLayout } from './layout.ts'
import { RELEASE } from './scripts.ts'

const RELEASE_ANSWERS = ['released', 'kept'] as const

/** Mode `two-phase`: leases, then commits. */
export function twoPhase(evaluate: Evaluate, layout: RedisLayout): EventStore {
  const step = async <Answer extends string>(
    answers: readonly Answer[],
    script: string,
    key: EventKey,
    args: string[],
  ) => {
    const stored = await storedKey(key)
    return oneOf(answers, await evaluate(script, layout.keysOf(stored), [...args, ...layout.argsOf(stored)]))
  }
  return {
    claim: (key, owner, leaseMs) =>
      step(CLAIM_ANSWERS, layout.claimScript, key, [leaseOf(owner), whole(leaseMs)]),
    commit: (key, owner, retentionMs) =>
      step(COMMIT_ANSWERS, layout.commitScript, key, [leaseOf(owner), whole(retentionMs)]),
    async release(key, owner) {
      const [leaseKey = ''] = layout.keysOf(await storedKey(key))
      const reply = await evaluate(RELEASE, [leaseKey], [leaseOf(owner)])
      return oneOf(RELEASE_ANSWERS, reply) === 'released'
    },
  }
}

/** Mode `single`. Commit and release skip the server. */
export function singlePhase(evaluate: Evaluate, layout: RedisLayout, retentionMs: number): EventStore {
  return {
    replayWindowSeconds: retentionMs / 1000,
    async claim(key, owner) {
      const keys = layout.keysOf(await storedKey(key))
      const reply = await evaluate(layout.claimScript, keys, [`d:${owner}`, whole(retentionMs)])
      return oneOf(CLAIM_ANSWERS, reply)
    },
    ...DONE_BY_CLAIM,
  }
}

function leaseOf(owner: string): string {
  return `p:${owner}`
}

/** Rounds milliseconds up, because Redis takes integers. */
function whole(milliseconds: number): string {
  return `${Math.ceil(milliseconds)}`
}

function oneOf<Answer extends string>(answers: readonly Answer[], reply: unknown): Answer {
  return knownAnswer('the Redis client', answers, replyText(reply))
}
