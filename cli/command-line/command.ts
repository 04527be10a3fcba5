import { type ExitCode, UsageError } from './exit.ts'
import { type CommandDescription, helpText } from './help.ts'
import { type OptionRows, parseCommandLine } from './parse.ts'

/** One row per option: a single table for the parser, the help and the types. */
export type OptionTable<Values> = { readonly [Name in keyof Values]-?: Row<NonNullable<Values[Name]>> }

type Row<Value> = [Value] extends [boolean]
  ? { readonly says: string }
  : [Value] extends [string]
    ? { readonly value: string; readonly says: string }
    : { readonly value: string; readonly many: true; readonly says: string }

export interface CommandSpec<Values> extends CommandDescription {
  readonly options: OptionTable<Values>
  readonly run: (values: Values, operand: string) => Promise<ExitCode>
}

export interface Command {
  readonly name: string
  readonly summary: string
  readonly help: string
  readonly options: OptionRows
  run(args: readonly string[]): Promise<ExitCode>
}

/** @throws UsageError from `run` if the table does not allow the command line. */
export function defineCommand<Values>(spec: CommandSpec<Values>): Command {
  const { name, summary, operand: argument, run } = spec
  const options = spec.options as OptionRows // a Row is an OptionRow; TypeScript cannot see that through `Values`
  return {
    name,
    summary,
    help: helpText(spec, options),
    options,
    async run(args) {
      const { values, operands } = parseCommandLine(args, options)
      const [operand = ''] = operands
      if (operands.length > (argument ? 1 : 0)) {
        throw new UsageError(
          argument ? `takes only one ${argument.name}` : 'takes no arguments, only options',
        )
      }
      if (operand === '' && argument?.required) throw new UsageError(`needs a ${argument.name}`)
      return run(values as Values, operand) // the parser used this table
    },
  }
}
