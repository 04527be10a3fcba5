/** Texts that a lenient parser accepts as a time, by the sender's format. */
export const STRANGE = {
  seconds: (now) => [
    `${now}abc`,
    `0${now}`,
    `${now}.0`,
    `+${now}`,
    '-1',
    '1.76364e9',
    '0x691f0a40',
    'now',
    'NaN',
    `${now}, ${now}`,
  ],
  milliseconds: (now) => [
    `${now}000abc`,
    `0${now}000`,
    `${now}000.5`,
    `+${now}000`,
    '-1',
    '1.76364e12',
    'now',
  ],
  rfc3339: (now) => [
    String(now),
    '2025-11-20',
    '20 Nov 2025 12:00:00 GMT',
    '2025-11-20T12:00:00',
    '2025-13-45T12:00:00Z',
    'now',
  ],
  json: () => ['"1763640000000"', '-1', 'null', 'true', '[]', '{}'],
}
