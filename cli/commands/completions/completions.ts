import { JWT_ALGORITHMS } from '../../../src/crypto/algorithms.ts'
import type { OptionRow } from '../../command-line/command.ts'
import { type Command, defineCommand } from '../../command-line/command.ts'
import { EXIT, UsageError } from '../../command-line/exit.ts'
import { print } from '../../command-line/output.ts'
import { schemeNames } from '../../signing/schemes.ts'
import { bashCompletions } from './bash.ts'
import { fishCompletions } from './fish.ts'
import type { CommandWords, OptionWords } from './vocabulary.ts'
import { zshCompletions } from './zsh.ts'

const SHELLS: { readonly [shell: string]: (commands: readonly CommandWords[]) => string } = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
}

/** @param loadCommands Loads every command, this one included. */
export function completionsOf(loadCommands: LoadCommands): Command {
  return defineCommand({
    name: 'completions',
    summary: 'print a completion script for bash, zsh or fish',
    operand: { name: 'SHELL', required: true },
    options: {},
    notes: ['Completion needs `hookgate` on your PATH, e.g. from a global install.'],
    examples: [
      'source <(hookgate completions bash)',
      'source <(hookgate completions zsh)',
      'hookgate completions fish | source',
    ],
    async run(_given, shell) {
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
      if (script === undefined) throw new UsageError(`takes one of ${Object.keys(SHELLS).join(', ')}`)
      print(script(await vocabulary(loadCommands)).trimEnd())
      return EXIT.done
    },
  })
}

type LoadCommands = () => Promise<readonly Command[]>

async function vocabulary(loadCommands: LoadCommands): Promise<readonly CommandWords[]> {
  const choices: { readonly [option: string]: readonly string[] } = {
    scheme: await schemeNames(),
    alg: JWT_ALGORITHMS,
  }
  return (await loadCommands()).map(({ name, summary, options }) => ({
    name,
    summary,
    options: Object.entries(options).map(([option, row]) => optionWords(option, row, choices[option])),
    operands: name === 'completions' ? Object.keys(SHELLS) : [],
  }))
}

function optionWords(
  name: string,
  { value = '', says, many }: OptionRow,
  choices: readonly string[] | undefined,
): OptionWords {
  const takes = value === '' ? 'nothing' : choices ? 'choice' : /FILE|DIR/.test(value) ? 'file' : 'text'
  return { name, says, takes, choices: choices ?? [], isRepeatable: many === true }
}
