import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { bashCompletions } from '../../../cli/commands/completions/bash.ts'
import { fishCompletions } from '../../../cli/commands/completions/fish.ts'
import { zshCompletions } from '../../../cli/commands/completions/zsh.ts'
import { hookgate, ROOT, run, temporaryFile } from '../support.ts'

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0
const unless = (shell: string) => (isThere(shell) ? '' : ` (skipped: no ${shell} here)`)
const [NO_BASH, NO_ZSH, NO_FISH] = [unless('bash'), unless('zsh'), unless('fish')]

async function scriptFor(shell: string): Promise<string> {
  const made = await hookgate(['completions', shell])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  return temporaryFile(`hookgate.${shell}`, made.stdout)
}

/** What a shell offers after these words. The cursor is at the end of the last one. */
type Offers = (words: readonly string[]) => Promise<string[]>

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

const inBash: Offers = async (words) => {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hookgate; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = await run('bash', ['-c', program, 'bash', await scriptFor('bash'), ...words], {
    cwd: ROOT,
  })
  expect(stderr).toBe('')
  return lines(stdout)
}

const inFish: Offers = async (words) => {
  const program = `source $argv[1]; complete -C $argv[2]`
  const { stdout, stderr } = await run(
    'fish',
    ['-N', '-c', program, await scriptFor('fish'), words.join(' ')],
    { cwd: ROOT },
  )
  expect(stderr).toBe('')
  return lines(stdout).map((line) => line.split('\t')[0] ?? '')
}

/**
 * zsh completes only in its line editor, so this types a tab and a return in a pseudo-terminal and prints what then
 * runs.
 */
const ZSH = `
zmodload zsh/zpty
zpty line 'zsh -f -i'
zpty -w line "PS1= ; autoload -Uz compinit; compinit -u -D; source $1; hookgate() { print -r -- '<'\\$*'>' }; print re''ady"
until [[ $all == *ready* ]] { zpty -r line out && all+=$out }
all=
zpty -w line "$2"$'\\t'
until [[ $all == *'<'*'>'* ]] { zpty -r line out && all+=$out }
print -r -- \${\${all#*<}%>*}
`

test.skipIf(NO_BASH)(`bash completes a file whose name holds a space${NO_BASH}`, async () => {
  const file = await temporaryFile('my secret.txt', '')
  expect(await inBash(['hookgate', 'send', '--secret-file', file.slice(0, -'cret.txt'.length)])).toEqual([
    file,
  ])
})

test.skipIf(NO_BASH)(
  `bash completes a value after an equals sign, where it splits the word${NO_BASH}`,
  async () => {
    expect(await inBash(['hookgate', 'listen', '--scheme', '=', 'strip'])).toEqual(['stripe'])
    expect(await inBash(['hookgate', 'keys', '--alg', '='])).toEqual(['RS256', 'ES256', 'EdDSA'])
    expect(await inBash(['hookgate', 'listen', '--secret-file', '=', 'biome'])).toEqual(['biome.json'])
  },
)

test.skipIf(NO_ZSH)(`zsh completes commands, options, schemes and files${NO_ZSH}`, async () => {
  const script = await scriptFor('zsh')
  const completed = async (typed: string) => {
    const program = ['20', 'zsh', '-fc', ZSH, 'zsh', script, `hookgate ${typed}`]
    return (await run('timeout', program, { cwd: ROOT })).stdout.trim()
  }
  expect(await completed('lis')).toBe('listen')
  expect(await completed('listen --forward-t')).toBe('listen --forward-to')
  expect(await completed('sign --key-i')).toBe('sign --key-id')
  expect(await completed('listen --scheme strip')).toBe('listen --scheme stripe')
  expect(await completed('listen --secret-file biome.j')).toBe('listen --secret-file biome.json')
  expect(await completed('completions fi')).toBe('completions fish')
})

for (const [shell, skip, offers] of [
  ['bash', NO_BASH, inBash],
  ['fish', NO_FISH, inFish],
] as const) {
  test.skipIf(skip)(`${shell} offers commands, options, schemes and files${skip}`, async () => {
    const offered = async (...words: string[]) => (await offers(['hookgate', ...words])).toSorted()
    expect(await offered('li')).toEqual(['listen'])
    expect(await offered('listen', '--forward-')).toEqual(['--forward-secret-file', '--forward-to'])
    for (const command of ['listen', 'send', 'sign', 'verify']) {
      expect(await offered(command, '--key-')).toEqual(['--key-id'])
    }
    expect(await offered('listen', '--scheme', 'git')).toEqual(['github', 'gitlab', 'gitlab-signing'])
    expect(await offered('listen', '--secret-file', 'biome')).toEqual(['biome.json'])
    expect(await offered('completions', 'f')).toEqual(['fish'])
    expect(await offered('send', '--forward-')).toEqual([])
  })
}

test('quotes, brackets and colons in descriptions do not break a script', () => {
  const option = {
    name: 'odd',
    says: "it's [a]: \\b $(c)",
    takes: 'nothing',
    choices: [],
    isRepeatable: false,
  } as const
  const commands = [{ name: 'x', summary: "don't: $(exit 9)", options: [option], operands: [] }]
  for (const [shell, script, skip] of [
    ['bash', bashCompletions(commands), NO_BASH],
    ['zsh', `compdef() { :; }; ${zshCompletions(commands)}`, NO_ZSH],
    ['fish', fishCompletions(commands), NO_FISH],
  ] as const) {
    if (skip === '') expect(spawnSync(shell, ['-c', script]).stderr.toString(), shell).toBe('')
  }
})
