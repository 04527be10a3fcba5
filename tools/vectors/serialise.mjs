/** JSON with one line per header, expectation and secret. */
export function serialise(vectors) {
  const line = (value) => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
  const member =
    (indent) =>
    ([name, value]) =>
      `${indent}${JSON.stringify(name)}: ${
        name === 'headers'
          ? `[\n${value.map((each) => `${indent}  ${JSON.stringify(each)}`).join(',\n')}\n${indent}]`
          : line(value)
      }`
  const object = (value, indent) =>
    `${indent}{\n${Object.entries(value)
      .map(member(`${indent}  `))
      .join(',\n')}\n${indent}}`
  const { cases, ...rest } = vectors
  const { notApplicable, scheme, ...others } = rest
  const head = { scheme, secretsAre: 'test keys', ...others }
  return `{
${Object.entries(head).map(member('  ')).join(',\n')},
  "cases": [
${cases.map((each) => object(each, '    ')).join(',\n')}
  ],
  "notApplicable": ${line(notApplicable)}
}
`
}
