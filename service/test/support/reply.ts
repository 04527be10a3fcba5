import type { z } from '@hono/zod-openapi'
import type { Automation, createdAutomationSchema } from '../../src/automations/schema.ts'
import type { AppEntitlement } from '../../src/entitlements/routes.ts'
import type { ProblemBody } from '../../src/http/problem.ts'
import type { LiveSecret } from '../../src/listeners/schema.ts'
import type { Policy } from '../../src/policies/schema.ts'
import type { RecordResource, Run } from '../../src/runs/schema.ts'
import type { TaskAction, TaskAudit } from '../../src/tasks/audit/schema.ts'
import type { TaskView, taskActionResponse } from '../../src/tasks/schema/view.ts'

/** Nullable members and first elements count as present. A test that reads a missing one fails. */
type Present<Value> = Value extends readonly (infer Element)[]
  ? [Present<Element>, ...Present<Element>[]]
  : Value extends object
    ? { [Name in keyof Value]-?: Present<NonNullable<Value[Name]>> }
    : NonNullable<Value>

interface Element extends TaskView {
  readonly appEntitlement: AppEntitlement
  readonly policy: Policy
  readonly automation: Automation
  readonly run: Run
  readonly record: RecordResource
  readonly taskAudit: TaskAudit
  readonly taskAction: TaskAction
}

interface List {
  readonly list: Element[]
  readonly nextPageToken: string
}

/** All reply bodies as one type, with the schemas' field names. The test knows which reply it asked for. */
export type ReplyBody = Present<
  List &
    z.infer<typeof taskActionResponse> & { policy: Policy } & z.infer<typeof createdAutomationSchema> & {
      secrets: LiveSecret[]
    } & Omit<Run, 'steps' | 'state'> & {
      runId: string
      appUser: { id: string; lastUsedAt: string }
      insight: { id: string }
    } & ProblemBody
>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: ReplyBody
}

export async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response
  // The tests check the real content.
  return { status, headers, body: (await response.json()) as ReplyBody }
}
