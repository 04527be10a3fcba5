import { describe, expect, it } from 'vitest'
import { type Annotations, mergeAnnotations } from '../../src/policies/annotations.ts'

const many = (count: number): Annotations =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']))

describe('annotations', () => {
  it('annotations keep absent keys and delete those with an empty value', () => {
    const kept = { managed_by: 'iac', iac_workspace: 'prod' }
    expect(mergeAnnotations(kept, { iac_workspace: '', iac_tool_version: '1.9' })).toEqual({
      managed_by: 'iac',
      iac_tool_version: '1.9',
    })
    expect(mergeAnnotations(kept, {})).toEqual(kept)
  })

  it('annotations are at most 16, counted after the change', () => {
    expect(Object.keys(mergeAnnotations({}, many(16)))).toHaveLength(16)
    expect(() => mergeAnnotations({}, many(17))).toThrow('at most 16')
    expect(() => mergeAnnotations(many(16), { another: 'x' })).toThrow('at most 16')
    expect(Object.keys(mergeAnnotations(many(16), { another: 'x', key0: '' }))).toHaveLength(16)
  })

  it('annotations have keys of 1 to 128 characters', () => {
    expect(mergeAnnotations({}, { k: 'x', ['k'.repeat(128)]: 'x' })).toHaveProperty('k')
    expect(() => mergeAnnotations({}, { '': 'x' })).toThrow('1 to 128')
    expect(() => mergeAnnotations({}, { ['k'.repeat(129)]: 'x' })).toThrow('1 to 128')
  })

  it('annotations have values of at most 256 characters', () => {
    expect(mergeAnnotations({}, { k: 'v'.repeat(256) })).toHaveProperty('k')
    expect(() => mergeAnnotations({}, { k: 'v'.repeat(257) })).toThrow('at most 256')
  })

  it.each([' ', '"', '\\', '<', '^', '`', '{', '|', '\n', '\x7f', 'é', '💥'])(
    'annotations refuse %j, which a URL cannot contain',
    (wrong) => {
      expect(() => mergeAnnotations({}, { [`a${wrong}`]: 'x' })).toThrow('URL')
      expect(() => mergeAnnotations({}, { k: `x${wrong}` })).toThrow('URL')
    },
  )

  it('a value may be a resource URL', () => {
    const given = { iac_resource_address: 'module.a[0].grant_policy.b~%20/c?d=e&f#g' }
    expect(mergeAnnotations({}, given)).toEqual(given)
  })

  it('annotations cannot be set or deleted under c1/', () => {
    expect(() => mergeAnnotations({}, { 'c1/x': 'y' })).toThrow('reserved')
    expect(() => mergeAnnotations({ 'c1/x': 'y' }, { 'c1/x': '' })).toThrow('reserved')
    expect(mergeAnnotations({ 'c1/x': 'y' }, { c1: 'z' })).toEqual({ 'c1/x': 'y', c1: 'z' })
  })
})
