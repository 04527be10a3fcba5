import { z } from '@hono/zod-openapi'
import { anyMembers, texts as textsByName } from '../../http/as-given.ts'
import { withOneOf } from '../../http/exactly-one.ts'
import { orNull } from '../../http/or-null.ts'

/*
 * Specification, 2.8. It does not show the fields of views and rules, so they are kept as given. A request may leave
 * out what is empty, false or null, as clients with proto-JSON do.
 */

const text = z.string().default('')
const flag = z.boolean().default(false)
const texts = z.array(z.string()).nullable().default(null)
const view = anyMembers().openapi({ description: 'The specification does not show its fields.' })
const viewOrNull = orNull(view).default(null)
const rules = viewOrNull
const int64 = z
  .string()
  .regex(/^(0|-?[1-9]\d{0,18})$/, { abort: true })
  .refine((digits) => BigInt.asIntN(64, BigInt(digits)) === BigInt(digits), 'must fit in 64 bits')
  .nullable()
  .default(null)
  .openapi({ format: 'int64', description: 'A decimal string.' })

const stringViews = {
  textField: view,
  passwordField: view,
  selectField: view,
  pickerField: view,
  dateField: view,
}

const fieldTypes = {
  stringField: withOneOf(
    z.strictObject({ defaultValue: text, placeholder: text, rules }),
    stringViews,
  ).openapi('StringField'),
  boolField: withOneOf(z.strictObject({ defaultValue: flag, rules }), {
    checkboxField: view,
    toggleField: view,
  }).openapi('BoolField'),
  stringSliceField: withOneOf(z.strictObject({ defaultValues: texts, placeholder: text, rules }), {
    chipsField: view,
    pickerField: view,
  }).openapi('StringSliceField'),
  int64Field: z
    .strictObject({ defaultValue: int64, placeholder: text, rules, numberField: viewOrNull })
    .openapi('Int64Field'),
  fileField: z
    .strictObject({ acceptedFileTypes: texts, maxFileSize: int64, fileInputField: viewOrNull })
    .openapi('FileField'),
  oauth2Field: z.strictObject({ oauth2FieldView: viewOrNull }).openapi('Oauth2Field'),
  stringMapField: z
    .strictObject({ defaultValue: textsByName().default({}), rules })
    .openapi('StringMapField'),
}

const providers = {
  userConfig: z.strictObject({ inputTransformationCel: text }).openapi('UserConfig'),
  adminConfig: z.strictObject({ defaultValueCel: text, showToUser: flag }).openapi('AdminConfig'),
  sharedConfig: z
    .strictObject({ defaultValueCel: text, inputTransformationCel: text, lockDefaultValues: flag })
    .openapi('SharedConfig'),
}

const described = { name: text, displayName: text, description: text, required: flag, readOnly: flag }
const field = withOneOf(withOneOf(z.strictObject(described), fieldTypes), providers).openapi('Field', {
  description: 'Exactly one type member and one provider config member are set.',
})

const fieldGroup = z
  .strictObject({ name: text, displayName: text, helpText: text, default: flag, fields: texts })
  .openapi('FieldGroup')

const empty = z.strictObject({})
const fieldRelationship = withOneOf(z.strictObject({ fieldNames: texts }), {
  requiredTogether: empty,
  atLeastOne: empty,
  mutuallyExclusive: empty,
  dependentOn: z.strictObject({ dependencyFieldNames: texts }),
}).openapi('FieldRelationship')

export const formSchema = z
  .strictObject({
    id: text,
    displayName: text,
    description: text,
    fields: z.array(field).nullable().default(null),
    fieldGroups: z.array(fieldGroup).nullable().default(null),
    fieldRelationships: z.array(fieldRelationship).nullable().default(null),
  })
  .openapi('Form', { description: 'What a request omits becomes empty, false or null.' })
