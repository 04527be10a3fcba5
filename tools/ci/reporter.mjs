import { writeFileSync } from 'node:fs'

/** Writes to `HOOKGATE_REPORT` how each file of a run ended, and what failed outside of them. For `tests.mjs`. */
export default class {
  onTestRunEnd(modules, unhandledErrors) {
    const files = modules.map((module) => ({
      root: module.project.vitest.config.root,
      config: module.project.vitest.vite.config.configFile,
      project: module.project.name,
      path: module.moduleId,
      hasFailed: !module.ok(),
      tests: [...module.children.allTests()].map((test) => ({
        name: test.fullName,
        state: isUnreached(test) ? 'unreached' : test.result().state,
      })),
    }))
    writeFileSync(process.env.HOOKGATE_REPORT, JSON.stringify({ files, errors: unhandledErrors.length }))
  }
}

/** Vitest counts the tests behind a hook that failed as skipped. */
function isUnreached({ parent }) {
  return parent !== undefined && (parent.errors().length > 0 || isUnreached(parent))
}
