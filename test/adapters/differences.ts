/**
 * Everything in which a target's answer may differ from the others', and why. A row of the matrix points here by name;
 * whatever is not listed has to be equal, byte for byte. docs/runtimes.md shows the same list.
 */
export interface Difference {
  /** The targets, by their names in `TARGETS`. */
  readonly on: RegExp
  readonly why: string
}

export const DIFFERENCES = {
  'joined headers': {
    on: /^web on|on (Bun|Deno|workerd)$/,
    why: 'Headers joins repetitions with a comma, so that a comma counts as one: header_repeated',
  },
} as const satisfies { readonly [name: string]: Difference }

export type DifferenceName = keyof typeof DIFFERENCES
