/** What is known of a message, its code or its name, and what to do. */
export type Fix = readonly [pattern: RegExp, fix: string]

const brought = /* @__PURE__ */ new Set<readonly Fix[]>()

/** Each store brings the fixes of its clients and servers, so that no program carries those of all. */
export function bring(fixes: readonly Fix[]): void {
  brought.add(fixes)
}

const COMMON: readonly Fix[] = [
  [/ECONNREFUSED/, 'start the server, or correct its address'],
  [/ENOTFOUND|EAI_AGAIN/, "correct the server's address"],
  [
    /did not \w+ within|got no answer within/,
    'is the server slow or away, or no connection of the pool free?',
  ],
]

/** @param known What is shown of an error. What a message quotes may be a stranger's. */
export const fixFor = (known: string): string | undefined =>
  [COMMON, ...brought].flat().find(([pattern]) => pattern.test(known))?.[1]
