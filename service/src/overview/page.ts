import { html } from 'hono/html'
import type { Listener, Run, readState, Step, Task } from './state.ts'
import { visible } from './visible.ts'

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })

/** The content of the page. `html` escapes every value. Nothing is raw, and no script or style is inline. */
export function overview({ tasks, runs, listeners }: Awaited<ReturnType<typeof readState>>) {
  return html`<main>
${section('Tasks', tasks.map(taskItem), 'No task has been created yet.')}
${section('Runs', runs.map(runItem), 'No webhook has been accepted yet.')}
${section('Listeners', listeners.map(listenerItem), 'No automation has a listener yet.')}
</main>`
}

function section(title: string, items: readonly unknown[], empty: string) {
  const shown = items.length > 0 ? html`<ul>${items}</ul>` : html`<p>${empty}</p>`
  return html`<section>
<h2>${title}</h2>
${shown}
</section>`
}

function taskItem({ number, name, state, approver_ids, policy, steps }: Task) {
  return html`<li id="task-${number}">
<h3>${number}. ${visible(name)} ${badge(state)}</h3>
<p>${visible(policy)}${approver_ids.length > 0 ? html`, approvers ${visible(approver_ids.join(', '))}` : ''}</p>
<ol>${steps.map(stepItem)}</ol>
</li>`
}

function runItem({ id, automation, event_id, state, created_at, input, steps }: Run) {
  return html`<li id="run-${id}">
<h3>${visible(automation)} ${badge(state)}</h3>
<p><time datetime="${created_at.toISOString()}">${TIME.format(created_at)}</time>, event <code>${event_id}</code></p>
<details><summary>Input</summary><pre>${visible(input)}</pre></details>
<ol>${steps.map(stepItem)}</ol>
</li>`
}

function stepItem({ name, state, end }: Step) {
  return html`<li>${visible(name)} ${badge(state)} <code>${visible(end ?? '')}</code></li>`
}

function listenerItem({ id, automation, runs, jwks_url, secrets, allowed_cidrs }: Listener) {
  const method = jwks_url === null ? `HMAC, live secrets: ${secrets}` : `JWT, keys at ${visible(jwks_url)}`
  return html`<li id="listener-${id}">
<h3>${visible(automation)} ${badge(runs ? 'RUNS' : 'DOES NOT RUN')}</h3>
<p><code>/api/v1/webhooks/incoming/${id}</code></p>
<p>${method}; from ${allowed_cidrs === null ? 'anywhere' : visible(allowed_cidrs.join(', '))}</p>
</li>`
}

/** `RUN_STATE_FAILED` as "failed". */
function badge(state: string) {
  const text = state
    .replace(/^.*_STATE_/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
  return html`<span class="badge" data-state="${text}">${text}</span>`
}
