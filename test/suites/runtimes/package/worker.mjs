/** Run by bare workerd without compatibility flags, so that nothing of Node exists. */
import { cases } from './cases.mjs'
import { equal, runCases } from './equal.mjs'
import { facts } from './facts.mjs'
import { fixture } from './fixture.mjs'
import { subpaths } from './subpaths.mjs'

export default {
  async test() {
    const imports = Object.fromEntries(
      Object.entries(subpaths).map(([subpath, names]) => [
        `import ${subpath}`,
        async () => {
          if (Object.keys(names).length === 0) throw new Error('it is empty')
        },
      ]),
    )
    const bare = {
      'nothing of Node is here': async () => {
        equal([typeof globalThis.process, typeof globalThis.Buffer], ['undefined', 'undefined'])
        const found = await import('node:crypto').then(
          () => true,
          () => false,
        )
        equal(found, false)
      },
    }
    console.log(
      `${fixture.mark}${JSON.stringify(await runCases({ ...bare, ...imports, ...cases, ...facts }))}`,
    )
  },
}
