import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { reportRun } from './test/support/run-reporter.ts'
import { MOST_WORKERS, TEST_SETTINGS } from './test/support/test-settings.ts'
import { WHY_NO_WORKERD, workerdProjects } from './test/workerd/project.ts'

const cryptoBuild = (name: 'node' | 'web') => ({
  '#crypto': fileURLToPath(new URL(`./src/crypto/${name}.ts`, import.meta.url)),
})

/** What takes engines, browsers, processes, gigabytes or minutes: `npm run test:rest`. */
const SLOW = 'test/**/*.slow.test.ts'

/** With isolation, each file loads all modules again, which takes longer than most tests. */
const SHARED_MODULES = { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true } as const

export default defineConfig({
  test: {
    maxWorkers: MOST_WORKERS,
    projects: [
      {
        resolve: { alias: cryptoBuild('node') },
        plugins: [reportRun()],
        test: {
          name: 'node',
          ...SHARED_MODULES,
          include: ['test/**/*.test.ts'],
          // The suites have a configuration of their own, and the files of test/workerd run inside workerd.
          exclude: [...configDefaults.exclude, 'test/suites/**', 'test/workerd/*.test.ts', SLOW],
          ...TEST_SETTINGS,
        },
      },
      {
        resolve: { alias: cryptoBuild('node') },
        plugins: [reportRun()],
        test: { name: 'rest', include: [SLOW], ...TEST_SETTINGS },
      },
      {
        // Everything that reaches cryptography runs a second time on the Web Crypto build: here, or inside workerd.
        resolve: { alias: cryptoBuild('web') },
        plugins: [reportRun()],
        test: {
          name: 'web-crypto',
          ...SHARED_MODULES,
          include: [
            'test/schemes/**/*.test.ts',
            ...(WHY_NO_WORKERD === undefined
              ? ['test/auth/jwt-algorithm.test.ts']
              : ['test/*.test.ts', 'test/auth/**/*.test.ts', 'test/checks/**/*.test.ts']),
          ],
          // Fetches, memory, and what is said of a secret, whatever the build.
          exclude: [
            ...configDefaults.exclude,
            'test/auth/{fetch-jwks,remote-*}.test.ts',
            'test/schemes/{invented-names,secret-mistakes,waiting-memory}.test.ts',
          ],
          ...TEST_SETTINGS,
        },
      },
      ...(await workerdProjects()),
    ],
  },
})
