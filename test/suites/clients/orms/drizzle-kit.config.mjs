const { DIALECT: dialect, DATABASE_URL: url, SETTINGS = '{}' } = process.env

export default { dialect, schema: './schema.mjs', dbCredentials: { url }, ...JSON.parse(SETTINGS) }
