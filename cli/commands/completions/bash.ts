import type { CommandWords, OptionWords } from './vocabulary.ts'

/** Also works with bash 3.2, which macOS has. */
export function bashCompletions(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# hookgate completions bash: put this line into ~/.bashrc
#   source <(hookgate completions bash)
_hookgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  # bash splits --name=value into three words
  if [ "$word" = = ]; then word=
  elif [ "$previous" = = ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help --help --version' -- "$word"))
    return
  fi
  case "$command $previous" in
${commands.flatMap((command) => command.options.filter(hasValue).map((option) => valueCase(command, option))).join('\n')}
  esac
  case "$command" in
${commands.map(wordsCase).join('\n')}
  help) COMPREPLY=($(compgen -W '${names}' -- "$word")) ;;
  esac
}
complete -F _hookgate hookgate
`
}

const hasValue = ({ takes }: OptionWords) => takes !== 'nothing'

function valueCase(command: CommandWords, { name, takes, choices }: OptionWords): string {
  const offer = {
    nothing: '',
    text: '',
    // One name a line, since names may hold spaces. compopt quotes them; bash 3.2 has none.
    file: `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word")); `,
    choice: `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word")); `,
  }[takes]
  return `  '${command.name} --${name}') ${offer}return ;;`
}

function wordsCase({ name, options, operands }: CommandWords): string {
  const words = [...operands, ...options.map((option) => `--${option.name}`), '--help']
  return `  ${name}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")) ;;`
}
