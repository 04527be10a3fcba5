/** What can stand behind `hookgate`, for a shell to offer. */
export interface CommandWords {
  readonly name: string
  readonly summary: string
  readonly options: readonly OptionWords[]
  /** Words that the command takes besides options. */
  readonly operands: readonly string[]
}

export interface OptionWords {
  readonly name: string
  readonly says: string
  /** What follows: nothing, a file, one of `choices`, or anything. */
  readonly takes: 'nothing' | 'file' | 'choice' | 'text'
  readonly choices: readonly string[]
  readonly isRepeatable: boolean
}
