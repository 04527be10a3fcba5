import { z } from '@hono/zod-openapi'
import { orNull } from '../../http/or-null.ts'
import { taskSchema, typedObject } from './task.ts'

const permissions = z
  .object({
    read: z.boolean(),
    edit: z.boolean(),
    delete: z.boolean(),
    extra: z.record(z.string(), z.boolean()),
  })
  .openapi('ActorObjectPermissions')

/** Specification, 2.4. */
export const VIEW_PATHS = [
  'accessReviewPath',
  'appPath',
  'appUserPath',
  'appUserLastUsagePath',
  'approversPath',
  'stepApproversPath',
  'createdByUserPath',
  'entitlementsPath',
  'identityUserPath',
  'insightsPath',
  'userPath',
  'principalResourcePath',
  'resourceBindingsPath',
  'roleResourcePath',
  'scopeResourcePath',
] as const

export type ViewPath = (typeof VIEW_PATHS)[number]

const path = z.string().openapi({
  readOnly: true,
  description: "A JSONPath into the response's `expanded`. Empty if there is no such object.",
})
// `fromEntries` loses the key types.
const paths = Object.fromEntries(VIEW_PATHS.map((name) => [name, path])) as Record<ViewPath, typeof path>

export const taskViewSchema = z
  .object({ task: orNull(taskSchema), objectPermissions: orNull(permissions), ...paths })
  .openapi('TaskView')

export type TaskView = z.infer<typeof taskViewSchema>

export const expandedSchema = z.array(typedObject).nullable()

/** Specification, 2.3. */
export const taskActionResponse = z
  .object({ taskView: orNull(taskViewSchema), ticketActionId: z.string(), expanded: expandedSchema })
  .openapi('TaskServiceActionResponse')
