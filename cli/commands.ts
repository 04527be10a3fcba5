import type { Command } from './command.ts'

/** Each command is loaded on demand, so that `secret` does not load an HTTP server. */
export const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  listen: async () => (await import('./listen.ts')).listen,
  send: async () => (await import('./send.ts')).send,
  sign: async () => (await import('./sign.ts')).sign,
  verify: async () => (await import('./verify.ts')).verify,
  conform: async () => (await import('./conform.ts')).conform,
  secret: async () => (await import('./secret.ts')).secret,
  keys: async () => (await import('./keys.ts')).keys,
  doctor: async () => (await import('./doctor.ts')).doctor,
  completions: async () => (await import('./completions.ts')).completionsOf(allCommands),
}

export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()))
}
