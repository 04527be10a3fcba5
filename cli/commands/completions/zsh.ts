import { shellQuote } from '../../command-line/shell.ts'
import type { CommandWords, OptionWords } from './vocabulary.ts'

export function zshCompletions(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, summary }) => shellQuote(`${name}:${summary}`))
  return `#compdef hookgate
# hookgate completions zsh: put this line into ~/.zshrc, after compinit
#   source <(hookgate completions zsh)
_hookgate() {
  local -a commands=(${described.join(' ')} 'help:show the help of a command')
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  help) _describe command commands ;;
  esac
}
compdef _hookgate hookgate
`
}

function commandCase({ name, options, operands }: CommandWords): string {
  const operand = operands.length > 0 ? ` '1:argument:(${operands.join(' ')})'` : ''
  const specs = options.map((option) => shellQuote(optionSpec(option)))
  return `  ${name}) _arguments${operand} ${[...specs, `'--help[Show the help.]'`].join(' ')} ;;`
}

function optionSpec({ name, says, takes, choices, isRepeatable }: OptionWords): string {
  const action = {
    nothing: '',
    text: ':value: ',
    file: ':file:_files',
    choice: `:value:(${choices.join(' ')})`,
  }[takes]
  // Brackets and colons separate the parts of a spec.
  return `${isRepeatable ? '*' : ''}--${name}[${says.replace(/[[\]:\\]/g, '\\$&')}]${action}`
}
