/** Something that should end by `dueAt`, a time of `performance.now()`. */
export interface Due {
  readonly dueAt: number
  tellOverdue(): void
}

const SWEEP_MS = 1000

const open = new Set<Due>()
let isArmed = false

/** Calls `tellOverdue` if `due` has not ended by its time, within a second: one timer sweeps them all. */
export function expectEnd(due: Due): void {
  open.add(due)
  if (!isArmed) arm()
}

export function ended(due: Due): void {
  open.delete(due)
}

function arm(): void {
  isArmed = true
  // Where timers are objects (Node), do not let one keep the process alive.
  Object(setTimeout(sweep, SWEEP_MS)).unref?.()
}

function sweep(): void {
  isArmed = false
  const now = performance.now()
  for (const due of open) {
    if (due.dueAt > now) continue
    open.delete(due)
    due.tellOverdue()
  }
  if (open.size > 0) arm()
}
