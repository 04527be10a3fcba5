import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
  type WorkflowTemplate,
} from '@actions/workflow-parser'
import { describe, expect, it } from 'vitest'
import { manifest, root } from './manifest.ts'

const folder = join(root, '.github/workflows')
const names = readdirSync(folder)
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')

async function parse(name: string, content: string): Promise<WorkflowTemplate> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value === undefined) throw new Error(`${name} is empty`)
  const template = await convertWorkflowTemplate(context, value)
  expect(context.errors.getErrors()).toEqual([])
  return template
}

describe.each(names)('.github/workflows/%s', (name) => {
  const text = textOf(name)

  it("the workflow fits GitHub's own schema", async () => {
    expect((await parse(name, text)).jobs.length).toBeGreaterThan(0)
    await expect(parse(name, text.replace('runs-on:', 'run-on:'))).rejects.toThrow()
  })

  it('the workflow pins each action to a commit, with its version in a comment', () => {
    const uses = text.match(/uses: .*/g) ?? []
    expect(uses.length).toBeGreaterThan(0)
    for (const line of uses) expect(line).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('the workflow may only read the repository, unless a job says otherwise', () => {
    expect(text).toMatch(/\npermissions:\n {2}contents: read\n\n/)
  })

  it('the workflow runs existing scripts', () => {
    const scripts = [...text.matchAll(/npm (?:run )?(test(?::\w+)?|(?<=run )[\w:]+)/g)].map(
      ([, script = '']) => script,
    )
    expect(scripts.filter((script) => manifest.scripts[script] === undefined)).toEqual([])
    const files = [...text.matchAll(/run: (?:node )?(\.[\w/.-]+)/g)].map(([, file = '']) => file)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

describe('the tools that run where a workflow may write', () => {
  const script = readFileSync(join(root, '.changeset/run.mjs'), 'utf8')

  it('the tools come from a lock file, with a checksum each, and run no install script', () => {
    const lock = JSON.parse(readFileSync(join(root, 'test/suites/package/package-lock.json'), 'utf8'))
    const { '': own, ...packages } = lock.packages
    expect(own.dependencies['@changesets/cli']).toMatch(/^\d+\.\d+\.\d+$/)
    const installed = Object.entries<Locked>(packages).filter(([path]) => path.startsWith('node_modules/'))
    const unsigned = installed.filter(([, { link, integrity }]) => !link && !integrity?.startsWith('sha512-'))
    expect(unsigned).toEqual([])
    expect(script).toMatch(/'npm',\s+'ci',\s+'--prefix',\s+tools,[^\]]*'--ignore-scripts'/)
  })

  it('the tools are never fetched by name', () => {
    const writing = names.map(textOf).filter((text) => text.includes(': write'))
    const fetching = /\bnpx\b|npm (?:exec|install|i) /
    expect(writing).toHaveLength(2)
    expect([script, ...writing].filter((text) => fetching.test(text))).toEqual([])
  })
})

interface Locked {
  readonly link?: boolean
  readonly integrity?: string
}

describe('publishing', () => {
  it('publishing is a job that runs npm and nothing of the repository, with an identity and no stored token', () => {
    const text = textOf('publish.yml')
    const [, job = ''] = text.split('\n  publish:\n')
    expect(job).toContain('permissions:\n      id-token: write\n    steps:')
    expect(job.match(/run: .*/g)).toEqual(['run: npm publish ./hookgate-*.tgz --provenance --access public'])
    expect(job).not.toMatch(/checkout|secrets\./)
  })

  it('publishing can name the repository in its attestation', () => {
    const { repository, bugs, homepage } = manifest
    const web = repository.url.replace(/^git\+|\.git$/g, '')
    expect([bugs, homepage]).toEqual([`${web}/issues`, `${web}#readme`])
  })
})
