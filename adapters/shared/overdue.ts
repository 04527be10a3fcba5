/** Something that should be over by a time of `performance.now()`. */
export interface Due {
  readonly dueAt: number
  tellOverdue(): void
}

const SWEEP_MS = 1000

const open = new Set<Due>()
let isArmed = false

/** Tells `due` when it is still here after its time: within a second, since one sweep looks after all there are. */
export function expectEnd(due: Due): void {
  open.add(due)
  if (!isArmed) arm()
}

export function ended(due: Due): void {
  open.delete(due)
}

function arm(): void {
  isArmed = true
  // Where a timer is an object, it must not keep the process alive.
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
