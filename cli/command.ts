import { type ExitCode, UsageError } from './exit.ts'
import { type CommandDescription, helpText } from './help.ts'
import { type OptionRows, parseCommandLine } from './parse.ts'

/** A row for each value that a command takes: one table for the parser, the help and the types. */
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

/** @throws UsageError from `run`, for a command line that the table does not allow. */
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
        throw new UsageError(argument ? `takes one ${argument.name} only` : 'takes options only')
      }
      if (operand === '' && argument?.required) throw new UsageError(`needs a ${argument.name}`)
      return run(values as Values, operand) // the parser was given this very table
    },
  }
}
