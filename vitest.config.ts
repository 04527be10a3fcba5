import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { reportRun } from './test/support/run-reporter.ts'
import { TEST_SETTINGS } from './test/support/test-settings.ts'
import { workerdProjects } from './test/workerd/project.ts'

const cryptoBuild = (name: 'node' | 'web') => ({
  '#crypto': fileURLToPath(new URL(`./src/crypto/${name}.ts`, import.meta.url)),
})

/** What takes engines, browsers, processes, gigabytes or minutes: `npm run test:rest`. */
const REST = [
  'test/oracle/**/*.test.ts',
  'test/observability/*.test.ts',
  'test/workerd/served/**/*.test.ts',
  'test/stores/{redis,postgres,dynamodb}*.test.ts',
  'test/stores/{*-processes,sqlite-outage,listener-memory}.test.ts',
  'test/adapters/{beside-the-old-check,bodies-fuzz,foreign-throws,http2-memory,idle-senders,waiting-memory}.test.ts',
  'test/cli/{store/store,forward/memory}.test.ts',
  'test/cli/commands/doctor/{endpoint,store}.test.ts',
  'test/cli/**/*{kills,browser}*.test.ts',
  'test/cli/inspector/{attacks,page}.test.ts',
  'test/sender/{deadline,killed-receiver}.test.ts',
  'test/cli/commands/completions.test.ts',
  'test/repo/{ci-tests,examples,run-reporter,sender-commands}.test.ts',
]

/** With isolation, each file loads all modules again, which takes longer than most tests. */
const SHARED_MODULES = { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true } as const

export default defineConfig({
  test: {
    // One for each core but one is vitest's own choice: on two cores that is one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        resolve: { alias: cryptoBuild('node') },
        plugins: [reportRun()],
        test: {
          name: 'node',
          ...SHARED_MODULES,
          include: ['test/**/*.test.ts'],
          // `npm run test:package`, `test:clients`, `test:hosts`, `test:peers`, `test:queues` and `test:site`, and what runs inside workerd.
          exclude: [
            ...configDefaults.exclude,
            'test/package/**',
            'test/clients/**',
            'test/hosts/**',
            'test/peers/**',
            'test/queues/**',
            'test/site/**',
            'test/workerd/*.test.ts',
            ...REST,
          ],
          ...TEST_SETTINGS,
        },
      },
      {
        resolve: { alias: cryptoBuild('node') },
        plugins: [reportRun()],
        test: { name: 'rest', include: REST, ...TEST_SETTINGS },
      },
      {
        plugins: [reportRun()],
        // The service knows the package by its name only: as it is built.
        test: {
          name: 'service',
          include: ['service/test/**/*.test.ts'],
          globalSetup: 'service/test/support/templates.ts',
          isolate: false,
          ...TEST_SETTINGS,
        },
      },
      {
        // Everything that reaches cryptography runs a second time on the Web Crypto build.
        resolve: { alias: cryptoBuild('web') },
        plugins: [reportRun()],
        test: {
          name: 'web-crypto',
          ...SHARED_MODULES,
          include: [
            'test/*.test.ts',
            'test/auth/**/*.test.ts',
            'test/checks/**/*.test.ts',
            'test/schemes/**/*.test.ts',
          ],
          // Fetches and memory, whatever the build.
          exclude: [
            ...configDefaults.exclude,
            'test/auth/{fetch-jwks,remote-*}.test.ts',
            'test/schemes/{invented-names,waiting-memory}.test.ts',
          ],
          ...TEST_SETTINGS,
        },
      },
      ...(await workerdProjects()),
    ],
  },
})
