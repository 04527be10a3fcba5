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
export class Expansion {
  readonly expanded: DirectoryObject['object'][] = []
  readonly #places = new Map<string, number>()

  /** Loads the related objects, with one statement per kind. */
  static async load(database: Queryable, relations: readonly Relation[]): Promise<Expansion> {
    const expansion = new Expansion()
    for (const kind of new Set(relations.map((relation) => relation.kind))) {
      const ids = relations.filter((relation) => relation.kind === kind).flatMap((relation) => relation.ids)
      for (const { id, object } of await objectsOf(database, kind, [...new Set(ids)])) {
        const places = expansion.expanded.push(object)
        expansion.#places.set(`${kind} ${id}`, places - 1)
      }
    }
    return expansion
  }

  /** The JSONPath (RFC 9535) of the objects that exist. Empty if there are none. */
  pathTo({ kind, ids }: Relation): string {
    const places = ids.flatMap((id) => this.#places.get(`${kind} ${id}`) ?? [])
    return places.length === 0 ? '' : `$.expanded[${places.join()}]`
  }
}
