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
  /** The option's value: none, a file, one of `choices`, or any text. */
  readonly takes: 'nothing' | 'file' | 'choice' | 'text'
  readonly choices: readonly string[]
  readonly isRepeatable: boolean
}
