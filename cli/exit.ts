/** The exit codes. */
export const EXIT = { done: 0, refused: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command line is wrong. The message says what to type instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command line is right, and it cannot be done: the port is taken, nobody answers. Exit code 1. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}
