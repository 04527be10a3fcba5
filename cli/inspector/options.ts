import type { OptionTable } from '../command-line/command.ts'

export const DEFAULT_UI_PORT = 8788
export const DEFAULT_KEEP = 200

export interface InspectorValues {
  readonly ui?: boolean
  readonly 'ui-port'?: string
  readonly open?: boolean
  readonly keep?: string
  readonly record?: string
  readonly load?: string
  readonly key?: string
}

export const INSPECTOR_OPTIONS: OptionTable<InspectorValues> = {
  ui: {
    says: 'Serve a local page that shows deliveries live, says why they were refused, and sends them again.',
  },
  'ui-port': {
    value: 'N',
    says: `The port of that page; 0 picks a free one (default ${DEFAULT_UI_PORT}, or the next free one)`,
  },
  open: { says: 'Open that page in your browser.' },
  keep: {
    value: 'N',
    says: `How many deliveries it keeps (default ${DEFAULT_KEEP}, at most 16 MB together)`,
  },
  record: { value: 'FILE', says: 'Append every delivery to FILE as NDJSON, bodies and signatures included' },
  load: { value: 'FILE', says: 'Show the deliveries of an earlier --record on the page; implies --ui' },
  key: { value: 'FILE', says: 'The private JWK that signs what the page sends again' },
}
