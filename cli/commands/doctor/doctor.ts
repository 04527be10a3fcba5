import { type Command, defineCommand } from '../../command-line/command.ts'
import { EXIT, type ExitCode } from '../../command-line/exit.ts'
import { paint, print, printable, toJsonLine } from '../../command-line/output.ts'
import { httpUrl } from '../../command-line/values.ts'
import { loadScheme } from '../../signing/schemes.ts'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

/** How long a pending DNS lookup may keep the process alive. It cannot be cancelled. */
const LAST_MS = 500

export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'find problems in your setup, and say how to fix them',
  options: {
    'secret-file': { value: 'FILE', many: true, says: 'A file with a secret (default: HOOKGATE_SECRET)' },
    store: { value: 'URL', says: 'redis://, postgres:// or sqlite: (default: HOOKGATE_STORE)' },
    jwks: { value: 'URL', says: "The sender's key set: a URL or a file" },
    'tenant-url': { value: 'URL', says: 'JWT: the subject of your listener' },
    'public-url': { value: 'URL', says: 'JWT: the audience of your listener' },
    url: { value: 'URL', says: 'Your endpoint, as senders call it' },
    scheme: { value: 'NAME', says: 'The sender of --url, such as slack: checks the secret as it signs' },
    'event-id': { value: 'ID', says: 'An event that --url has accepted: checks the secret' },
    offline: { says: 'Skip every check that needs the network.' },
    json: { says: 'Print one line of JSON: ok, findings of id, status, seen, fix.' },
  },
  notes: [
    'Changes nothing, and prints no secret. Exits with 1 if a check fails, and with 0 if it only warns.',
    'Deliveries to --url have a wrong signature, so no handler runs. --event-id adds one that is signed',
    'correctly: give the ID of an event that --url has accepted, or its handler runs.',
  ],
  examples: [
    'hookgate doctor --url https://example.com/webhooks/orders --secret-file secret.txt',
    'hookgate doctor --store redis://localhost --jwks https://sender.example/jwks.json --json',
  ],
  async run(given) {
    const scheme = given.scheme === undefined ? undefined : await loadScheme(given.scheme)
    const findings = await examine({
      secretFiles: given['secret-file'] ?? [],
      store: given.store ?? process.env.HOOKGATE_STORE,
      jwks:
        given.jwks !== undefined && /^https?:/i.test(given.jwks) ? httpUrl('--jwks', given.jwks) : given.jwks,
      url: urlOf('--url', given.url),
      publicUrl: urlOf('--public-url', given['public-url']),
      tenantUrl: urlOf('--tenant-url', given['tenant-url']),
      eventId: given['event-id'],
      scheme,
      isForAnotherSender: scheme !== undefined,
      isOffline: given.offline ?? false,
    })
    const code = findings.some(({ status }) => status === 'fail') ? EXIT.refused : EXIT.done
    if (given.json) print(toJsonLine({ ok: code === EXIT.done, findings }))
    else show(findings)
    endSoon(code)
    return code
  },
})

const urlOf = (option: string, text: string | undefined) =>
  text === undefined ? undefined : httpUrl(option, text)

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function show(findings: readonly Finding[]): void {
  for (const { id, status, seen, fix } of findings) {
    const mark = status === 'skip' ? status : paint(COLOURS[status], status.padEnd(4))
    print(`${mark}  ${id.padEnd(14)}  ${printable(seen)}`)
    if (fix !== undefined) print(`${' '.repeat(22)}→ ${printable(fix)}`)
  }
  const skipped = [...new Set(findings.filter(({ status }) => status === 'skip').map(({ id }) => id))]
  if (skipped.length > 0) print(`\nNot checked: ${skipped.join(', ')}.`)
}

/** Ends the process even if a DNS lookup is pending. */
function endSoon(code: ExitCode): void {
  setTimeout(() => process.exit(code), LAST_MS).unref()
}
