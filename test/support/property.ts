import fc from 'fast-check'
import { inject } from 'vitest'

// CI draws the values of one seed, so that a commit has one verdict. Every other run draws new ones.
const seed = inject('seed')
if (seed !== undefined) fc.configureGlobal({ seed })

export default fc
