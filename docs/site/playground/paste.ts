import { fittingScheme } from './fitting-scheme.ts'
import { area, field, schemeMenu, setBody } from './form.ts'
import { readPasted } from './pasted/index.ts'

/**
 * Fills the form with a pasted request, and chooses the scheme that its headers show. A captured request is old, so any age is accepted.
 * @throws SyntaxError for text that is no request.
 */
export async function fillFrom(text: string): Promise<string> {
  const { from, method, url, headers, body, doubt } = readPasted(text)
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const isPost = method.toUpperCase() === 'POST'
  area('headers').value = [...(isPost ? [] : [`${method.toUpperCase()} /`]), ...lines].join('\n')
  setBody(body)
  if (url !== undefined) field('url').value = url
  field('any-age').checked = true
  schemeMenu().value = await fittingScheme(
    headers.map(([name]) => name.toLowerCase()),
    schemeMenu().value,
  )
  const size = `${headers.length} headers, ${body.length} bytes`
  return `Read ${from}: ${size}. Any age is accepted.${doubt === undefined ? '' : ` ${doubt}`}`
}
