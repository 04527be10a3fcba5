export const EXIT = { done: 0, refused: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command line is wrong. The message says what to type instead. `cause` is the package's own error, if any. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command cannot run, e.g. because the port is taken. `cause` as above. Exit code 1. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}
