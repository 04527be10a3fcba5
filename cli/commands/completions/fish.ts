import type { CommandWords, OptionWords } from './vocabulary.ts'

export function fishCompletions(commands: readonly CommandWords[]): string {
  return `# hookgate completions fish: put this line into ~/.config/fish/config.fish
#   hookgate completions fish | source
complete -c hookgate -f
${commands.flatMap(commandLines).join('\n')}
complete -c hookgate -n __fish_use_subcommand -l version -d 'Show the version.'
complete -c hookgate -l help -d 'Show the help.'
`
}

function commandLines({ name, summary, options, operands }: CommandWords): string[] {
  const here = `complete -c hookgate -n '__fish_seen_subcommand_from ${name}'`
  return [
    `complete -c hookgate -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...operands.map((operand) => `${here} -a ${operand}`),
    ...options.map((option) => `${here} -l ${option.name}${value(option)} -d ${quoted(option.says)}`),
  ]
}

function value({ takes, choices }: OptionWords): string {
  return { nothing: '', text: ' -x', file: ' -r -F', choice: ` -x -a '${choices.join(' ')}'` }[takes]
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}
