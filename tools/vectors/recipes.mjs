import { readdirSync } from 'node:fs'

const folder = new URL('./recipes/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)))

/** All that is known of each sender: how it signs, a sample, and its cases. */
export const recipes = modules.flatMap((module) => module.default)
