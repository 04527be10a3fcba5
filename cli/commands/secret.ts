import { generateSecret } from '../../src/index.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT } from '../command-line/exit.ts'
import { print } from '../command-line/output.ts'

export const secret: Command = defineCommand({
  name: 'secret',
  summary: 'print a new signing secret, 256 bits as base64url',
  meant: '--whsec',
  options: {
    whsec: { says: 'Print it as Standard Webhooks writes it: whsec_ and base64' },
  },
  notes: [
    'Give it to both sides unchanged. Without --whsec, the text itself is the key, and is not decoded.',
    'A gateway signs with --whsec for your app: hookgate listen --forward-secret-file FILE',
  ],
  examples: [
    'hookgate secret',
    'export HOOKGATE_SECRET=$(hookgate secret)',
    '(umask 077; hookgate secret > secret.txt)',
    '(umask 077; hookgate secret --whsec > forward.txt)',
  ],
  async run({ whsec }) {
    const made = generateSecret()
    print(whsec ? `whsec_${Buffer.from(made, 'base64url').toString('base64')}` : made)
    return EXIT.done
  },
})
