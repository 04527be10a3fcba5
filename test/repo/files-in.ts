import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The paths of the files in a folder and its subfolders, from the root of the repository. Enters no `node_modules`, which may link
 * back to it, and no `dist`.
 */
export function filesIn(folder: string, end = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isFile()) return path.endsWith(end) ? [path] : []
    return entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name) ? filesIn(path, end) : []
  })
}
