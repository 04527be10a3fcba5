import { readdirSync } from 'node:fs'

const folder = new URL('./recipes/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)))

/** What is known of each sender: how it signs, a sample, and which cases it has. */
export const recipes = modules.flatMap((module) => module.default)
