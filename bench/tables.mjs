// Formats results as Markdown.
import { SIZES } from './workload.mjs'

export const sizeName = (size) => (size < 1024 ? `${size} B` : `${size / 1024} KB`)
const MB = 1_048_576
const fixed = (number, digits = 2) => (number === undefined ? '–' : number.toFixed(digits))

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  )
}

const namesOf = (rows) => [...new Set(rows.map(({ name }) => name))]

export const tables = {
  hmac(rows) {
    const at = (name, size) => rows.find((row) => row.name === name && row.size === size)
    const cell = ({ microseconds, toFloor, toHandMade }) =>
      `${fixed(microseconds, 1)} µs, **${fixed(toFloor)}**, ${fixed(toHandMade)}`
    return table(
      ['µs, **× floor**, × floor with HMAC by hand', ...SIZES.map(sizeName)],
      namesOf(rows).map((name) => [name, ...SIZES.map((size) => cell(at(name, size)))]),
    )
  },
  schemes: (rows) =>
    table(
      ['a verified delivery', 'next to', 'size', 'µs', '**× the package**', 'wrong signature, × accepted'],
      rows.map(({ sender, peer, size, microseconds, toPeer, wrongToAccepted }) => [
        sender,
        peer,
        sizeName(size),
        fixed(microseconds, 1),
        `**${fixed(toPeer)}**`,
        fixed(wrongToAccepted),
      ]),
    ),

  jwt(rows) {
    const cell = (row) =>
      row
        ? `${fixed(row.microseconds, 1)} µs, ${fixed(row.toFloor)}, ${fixed(row.toJose)}, **${fixed(row.toFastJwt)}**`
        : '–'
    const columns = ['RS256', 'ES256', 'EdDSA'].flatMap((algorithm) => [
      { algorithm, lanes: 1, clock: 'cpu', head: `${algorithm}, CPU` },
      { algorithm, lanes: 32, clock: 'cpu', head: `${algorithm}, 32 at once, CPU` },
      { algorithm, lanes: 32, clock: 'wall', head: `${algorithm}, 32 at once, wall` },
    ])
    const find = (name, { algorithm, lanes, clock }) =>
      rows.find(
        (row) =>
          row.name === name && row.algorithm === algorithm && row.lanes === lanes && row.clock === clock,
      )
    return table(
      ['µs, × floor, × jose, **× fast-jwt**', ...columns.map(({ head }) => head)],
      namesOf(rows).map((name) => [name, ...columns.map((column) => cell(find(name, column)))]),
    )
  },

  refusals: (rows) =>
    table(
      ['1 KB', 'µs', '× accepted by the same'],
      rows.map(({ name, microseconds, toAccepted }) => [name, fixed(microseconds), fixed(toAccepted)]),
    ),

  memory: (rows) =>
    table(
      [
        'memoryStore()',
        'records',
        'bytes a record',
        'records a second',
        'bytes when empty',
        'slowest claim, ms',
      ],
      rows.map((row) => [
        row.name,
        row.records.toLocaleString('en'),
        fixed(row.bytes, 0),
        Math.round(row.perSecond).toLocaleString('en'),
        row.empty.toLocaleString('en'),
        row.slowestClaim === undefined ? '–' : fixed(row.slowestClaim, 1),
      ]),
    ),

  growth: (rows) =>
    table(
      ['server', 'requests', 'answered', 'KB grown'],
      rows.map(({ framework, requests, answers, grown }) => [
        framework,
        requests.toLocaleString('en'),
        Object.entries(answers)
          .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
          .join(', '),
        fixed(grown / 1024, 0),
      ]),
    ),

  http: (rows) =>
    table(
      [
        '1 KB, 32 connections',
        'req/s',
        '**× floor**',
        '× bare',
        'CPU µs',
        '**CPU × floor**',
        'CPU × bare',
        'new: CPU × floor',
      ],
      rows.map((row) => [
        `${row.framework}: ${row.name}`,
        Math.round(row.perSecond).toLocaleString('en'),
        `**${fixed(row.toFloor)}**`,
        fixed(row.toBare),
        fixed(row.cpu, 0),
        `**${fixed(row.cpuToFloor)}**`,
        fixed(row.cpuToBare),
        fixed(row.cpuToFloorWhenNew),
      ]),
    ),

  attack: (rows) =>
    table(
      [
        'ms',
        'alone: median',
        '99 %',
        'attacked: median',
        '**99 %**',
        'refused',
        'strangers a second',
        'answered',
      ],
      rows.map(({ framework, sent, alone, attacked, strangers }) => [
        framework,
        fixed(alone.median),
        fixed(alone.p99),
        fixed(attacked.median),
        `**${fixed(attacked.p99)}**`,
        `${attacked.refused} of ${sent.toLocaleString('en')}`,
        Math.round(strangers.perSecond).toLocaleString('en'),
        strangers.statuses,
      ]),
    ),

  hostile: (rows) =>
    table(
      [
        `all ${rows.length} schemes`,
        'size',
        'the dearest',
        'refused with',
        '**ms, at its limit**',
        'ms, signature',
        'the longest at 8 MB',
        '**ms, at a stretch**',
      ],
      rows.map((row) => [
        row.scheme,
        sizeName(row.size),
        row.kind,
        row.reason,
        `**${fixed(row.milliseconds)}**`,
        fixed(row.signature),
        row.raisedKind,
        `**${fixed(row.stretch)}**`,
      ]),
    ),

  stall: (rows) =>
    table(
      ['a wrong signature', 'size', 'secrets', '**ms, longest stall**', 'ms, hashed at once', 'ms, in all'],
      rows.map(({ name, size, count, gap, atOnce, total }) => [
        name,
        size < MB ? sizeName(size) : `${size / MB} MB`,
        count.toLocaleString('en'),
        `**${fixed(gap)}**`,
        fixed(atOnce),
        fixed(total),
      ]),
    ),

  cpu: (rows) =>
    table(
      [`the dearest of ${rows.length} strangers`, 'refused with', 'ms, the first', 'ms, median'],
      rows.slice(0, 10).map((row) => [row.name, row.reason, fixed(row.first), fixed(row.milliseconds)]),
    ),

  inbox: (rows) =>
    table(
      ['', 'puts per second', '**× the inbox**', 'runs per second', '**× the inbox**'],
      rows.map(({ name, putsPerSecond, putsToInbox, runsPerSecond, runsToInbox }) => [
        name,
        Math.round(putsPerSecond).toLocaleString('en'),
        `**${fixed(putsToInbox)}**`,
        Math.round(runsPerSecond).toLocaleString('en'),
        `**${fixed(runsToInbox)}**`,
      ]),
    ),

  latency: (rows) =>
    table(
      ['put', 'to the start of the handler', 'ms, median', '**× before**', '95 % interval'],
      rows.map(({ way, from, milliseconds, toBefore, low, high }) => [
        way,
        `since put ${from === 'called' ? 'was called' : 'returned'}`,
        fixed(milliseconds),
        `**${fixed(toBefore)}**`,
        toBefore === undefined ? fixed() : `${fixed(low)} to ${fixed(high)}`,
      ]),
    ),
}
