import { type ExitCode, UsageError } from './exit.ts'
import { helpText } from './help.ts'
import { parseCommandLine } from './parse.ts'

export interface Option {
  /** The word that stands for the value in the help. A switch has none. */
  readonly value?: string
  /** May be given several times. */
  readonly many?: true
  readonly says: string
}

export type OptionTable = { readonly [name: string]: Option }

/** What was given: text for options with a value, `true` for switches, nothing for what was left out. */
export type Values<Options extends OptionTable> = {
  readonly [Name in keyof Options]?:
    | (Options[Name] extends { readonly many: true }
        ? readonly string[]
        : Options[Name] extends { readonly value: string }
          ? string
          : boolean)
    | undefined
}

export interface CommandSpec<Options extends OptionTable> {
  readonly name: string
  readonly summary: string
  /** The one argument that is no option, like `URL`. */
  readonly operand?: { readonly name: string; readonly required: boolean }
  readonly options: Options
  readonly notes?: readonly string[]
  readonly examples: readonly string[]
  readonly run: (values: Values<Options>, operand: string) => Promise<ExitCode>
}

export interface Command {
  readonly name: string
  readonly summary: string
  readonly help: string
  run(args: readonly string[]): Promise<ExitCode>
}

/** One table for the parser, the help and the types. */
export function defineCommand<const Options extends OptionTable>(spec: CommandSpec<Options>): Command {
  return {
    name: spec.name,
    summary: spec.summary,
    help: helpText(spec),
    run(args) {
      const { values, operands } = parseCommandLine(args, spec.options)
      const [operand = ''] = operands
      if (operands.length > (spec.operand ? 1 : 0)) {
        throw new UsageError(spec.operand ? `takes one ${spec.operand.name} only` : 'takes options only')
      }
      if (operand === '' && spec.operand?.required) throw new UsageError(`needs a ${spec.operand.name}`)
      // The parser was given this very table, so the values have its types.
      return spec.run(values as Values<Options>, operand)
    },
  }
}
