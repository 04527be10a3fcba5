/** When a receiver is killed. */
export const MOMENTS = ['before the enqueue', 'between enqueue and commit', 'after the commit'] as const
export type Moment = (typeof MOMENTS)[number]
