import type { Octokit } from '@octokit/rest'

/** A webhook of a repository. Its ID is the last number of its page's address in the settings. */
export interface Hook {
  readonly owner: string
  readonly repo: string
  readonly hook_id: number
}

/** Asks GitHub to send again what failed since then and did not succeed later. Returns the number of events. */
export async function redeliverMissed(octokit: Octokit, hook: Hook, since: Date): Promise<number> {
  const missed = new Map<string, number>() // the latest attempt of each event
  const succeeded = new Set<string>()
  const list = octokit.rest.repos.listWebhookDeliveries
  pages: for await (const { data } of octokit.paginate.iterator(list, { ...hook, per_page: 100 })) {
    for (const { id, guid, status_code, delivered_at } of data) {
      if (new Date(delivered_at) < since) break pages // they come newest first
      if (status_code >= 200 && status_code < 300) succeeded.add(guid)
      else if (!missed.has(guid)) missed.set(guid, Number(id))
    }
  }
  const failed = [...missed].filter(([guid]) => !succeeded.has(guid)).toReversed()
  for (const [, delivery_id] of failed) {
    await octokit.rest.repos.redeliverWebhookDelivery({ ...hook, delivery_id })
  }
  return failed.length
}
