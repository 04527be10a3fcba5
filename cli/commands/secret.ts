import { generateSecret } from '../../src/index.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT } from '../command-line/exit.ts'
import { print } from '../command-line/output.ts'

export const secret: Command = defineCommand({
  name: 'secret',
  summary: 'print a new signing secret, 256 bits as base64url',
  options: {},
  notes: ['Give it to both sides unchanged: the text itself is the key, and is not decoded.'],
  examples: [
    'hookgate secret',
    'export HOOKGATE_SECRET=$(hookgate secret)',
    '(umask 077; hookgate secret > secret.txt)',
  ],
  async run() {
    print(generateSecret())
    return EXIT.done
  },
})
