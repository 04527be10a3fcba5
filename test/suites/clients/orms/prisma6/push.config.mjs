// Runs the schema engine as WebAssembly, which Prisma 6 has in its package, on the adapter. Prisma 7 downloads the engine.
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { defineConfig } from 'prisma/config'

/** The adapter does not know the types `char` and `name` of the catalogue. */
const CATALOGUE_TYPES = [18, 19]
const TEXT_TYPE = 25

class Pool extends pg.Pool {
  async query(...args) {
    const result = await super.query(...args)
    for (const field of result.fields) {
      if (CATALOGUE_TYPES.includes(field.dataTypeID)) field.dataTypeID = TEXT_TYPE
    }
    return result
  }
}

export default defineConfig({
  schema: 'prisma.prisma',
  experimental: { adapter: true },
  engine: 'js',
  adapter: async () => new PrismaPg(new Pool({ connectionString: process.env.DATABASE_URL })),
})
