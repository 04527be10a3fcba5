import type { Queryable } from '../database/database.ts'
import { type DirectoryObject, type Kind, objectsOf } from '../directory/objects.ts'
import type { ViewPath } from './schema/view.ts'

/** A path of the view, and the objects it locates. */
export interface Relation {
  readonly path: ViewPath
  readonly kind: Kind
  readonly ids: readonly string[]
}

/** The `expanded` list of a response. Holds every object once, even if several tasks refer to it. */
export type Expanded = DirectoryObject['object'][]

/**
 * Loads related objects, with one statement per kind.
 *
 * @returns The objects, and the JSONPath (RFC 9535) of those of a relation. It is empty if none of them exists.
 */
export async function expand(database: Queryable, relations: readonly Relation[]) {
  const [expanded, places]: [Expanded, Map<string, number>] = [[], new Map()]
  for (const kind of new Set(relations.map((relation) => relation.kind))) {
    const ids = relations.filter((relation) => relation.kind === kind).flatMap((relation) => relation.ids)
    for (const { id, object } of await objectsOf(database, kind, [...new Set(ids)]))
      places.set(`${kind} ${id}`, expanded.push(object) - 1)
  }
  const pathTo = ({ kind, ids }: Relation) => {
    const found = ids.flatMap((id) => places.get(`${kind} ${id}`) ?? [])
    return found.length === 0 ? '' : `$.expanded[${found.join()}]`
  }
  return { expanded, pathTo }
}
