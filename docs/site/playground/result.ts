import type { Accepted, Rejected, Verdict } from 'hookgate'
import type { CheckOutcome } from 'hookgate/explain'
import { element, part, visible } from '../../../cli/inspector/page/text.js'
import type { Judged } from './judge.ts'

/** The verdict, the reason, and the checks in order. Untrusted text never becomes HTML. */
export function resultOf(judged: Judged): readonly HTMLElement[] {
  const { verdict } = judged
  if (verdict === undefined) {
    return [heading('undecided', judged.title), why([element('p', 'clearest', ...withCode(judged.problem))])]
  }
  const { checks, likely, token } = judged.explanation
  const rest = checks.length === 0 ? [] : [part('Checks, in order', checkList(checks))]
  if (verdict.ok) return [heading('accepted', 'Accepted'), facts(verdict.event), ...rest]
  if (verdict.handshake) return [heading('accepted', `Handshake, answered ${verdict.reply.status}`), ...rest]
  const [clearest = [], ...others] = likely.map(asSentence)
  return [
    heading('refused', `Refused with ${verdict.status}`),
    why([
      ...paragraphs('clearest', [clearest].flat()),
      reason(verdict),
      ...paragraphs('', others),
      ...paragraphs(
        '',
        token.map((claims) => `Token: ${claims}`),
      ),
    ]),
    ...rest,
  ]
}

const heading = (kind: string, text: string) => element('h2', kind, text)
const why = (content: readonly HTMLElement[]) => element('div', 'why', ...content)

function reason({ reason, detail }: Exclude<Verdict, Accepted> & Rejected): HTMLElement {
  const link = element('a', 'mono', reason) as HTMLAnchorElement // `element('a')` creates an anchor
  link.href = `../errors.html#${reason}`
  return element('p', '', link, ': ', ...withCode(detail))
}

function paragraphs(kind: string, texts: readonly string[]): HTMLElement[] {
  return texts.map((text) => element('p', kind, ...withCode(text)))
}

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Shows what stands between backticks as code. */
function withCode(text: string): (HTMLElement | string)[] {
  return text
    .split('`')
    .flatMap((piece, at) => (at % 2 === 0 ? visible(piece) : [element('code', '', ...visible(piece))]))
}

function facts({ id, type, sentAt, auth, unsigned }: Accepted['event']): HTMLElement {
  const rows = [
    ['Event', id],
    ['Type', type ?? 'none'],
    ['Sent', sentAt.toISOString()],
    ['Signature', 'covers' in auth ? `covers the ${auth.covers}` : `by ${auth.method}`],
    ...(unsigned?.length ? [['Not signed', unsigned.join(', ')]] : []),
  ]
  const cells = rows.flatMap(([name = '', value = '']) => [
    element('dt', '', name),
    element('dd', 'mono', ...visible(value)),
  ])
  return element('dl', '', ...cells)
}

const MARKS = {
  true: ['✓', 'passed', 'accepted'],
  false: ['✕', 'refused the delivery', 'refused'],
  null: ['·', 'not reached', 'quiet'],
} as const

/** The claim is shown as not reached: nothing is remembered here, so its answer would mean nothing. */
function checkList(checks: readonly CheckOutcome[]): HTMLElement {
  const items = checks.map(({ name, says, ok }) => {
    const isClaim = name === 'claim'
    const [mark, meaning, colour] = MARKS[`${isClaim ? null : ok}`]
    const sign = element('span', `mark ${colour}`, mark)
    sign.role = 'img'
    sign.ariaLabel = meaning
    const text = isClaim ? 'not asked: nothing is remembered here' : says
    const item = element('li', '', sign, element('span', 'mono', name), element('span', '', text))
    item.dataset.ok = `${isClaim ? null : ok}`
    return item
  })
  return element('ol', 'checks', ...items)
}
