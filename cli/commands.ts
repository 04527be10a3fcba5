import type { Command } from './command-line/command.ts'

/** Each command is loaded on demand, so that `secret` does not load an HTTP server. */
export const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  listen: async () => (await import('./commands/listen.ts')).listen,
  send: async () => (await import('./commands/send.ts')).send,
  sign: async () => (await import('./commands/sign.ts')).sign,
  verify: async () => (await import('./commands/verify/verify.ts')).verify,
  conform: async () => (await import('./commands/conform/conform.ts')).conform,
  schemes: async () => (await import('./commands/schemes.ts')).schemes,
  secret: async () => (await import('./commands/secret.ts')).secret,
  keys: async () => (await import('./commands/keys.ts')).keys,
  doctor: async () => (await import('./commands/doctor/doctor.ts')).doctor,
  recover: async () => (await import('./commands/recover/recover.ts')).recover,
  renew: async () => (await import('./commands/renew.ts')).renew,
  inbox: async () => (await import('./commands/inbox/inbox.ts')).inboxCommand,
}

export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()))
}
