import { z } from '@hono/zod-openapi'
import { anyMembers, texts as textsByName } from '../../http/as-given.ts'
import { oneOf, oneOfMembersOrNull } from '../../http/exactly-one.ts'
import { orNull } from '../../http/or-null.ts'

/** Specification, 2.8. It does not show the fields of views and rules, so they are kept as given. */
const view = anyMembers().openapi({ description: 'The specification does not show its fields.' })
const viewOrNull = orNull(view).default(null)
const rules = viewOrNull
const texts = z.array(z.string()).nullable().default(null)
const int64 = z
  .string()
  .regex(/^(0|-?[1-9]\d{0,18})$/, { abort: true })
  .refine((digits) => BigInt.asIntN(64, BigInt(digits)) === BigInt(digits), 'must fit in 64 bits')
  .nullable()
  .default(null)
  .openapi({ format: 'int64', description: 'A decimal string.' })

const empty = z.strictObject({})

const stringViews = {
  textField: view,
  passwordField: view,
  selectField: view,
  pickerField: view,
  dateField: view,
}
const boolViews = { checkboxField: view, toggleField: view }
const sliceViews = { chipsField: view, pickerField: view }

const fieldTypes = {
  stringField: z
    .strictObject({ defaultValue: z.string(), placeholder: z.string(), rules })
    .extend(oneOfMembersOrNull(stringViews))
    .refine(...oneOf(stringViews))
    .openapi('StringField'),
  boolField: z
    .strictObject({ defaultValue: z.boolean(), rules })
    .extend(oneOfMembersOrNull(boolViews))
    .refine(...oneOf(boolViews))
    .openapi('BoolField'),
  stringSliceField: z
    .strictObject({ defaultValues: texts, placeholder: z.string(), rules })
    .extend(oneOfMembersOrNull(sliceViews))
    .refine(...oneOf(sliceViews))
    .openapi('StringSliceField'),
  int64Field: z
    .strictObject({ defaultValue: int64, placeholder: z.string(), rules, numberField: viewOrNull })
    .openapi('Int64Field'),
  fileField: z
    .strictObject({ acceptedFileTypes: texts, maxFileSize: int64, fileInputField: viewOrNull })
    .openapi('FileField'),
  oauth2Field: z.strictObject({ oauth2FieldView: viewOrNull }).openapi('Oauth2Field'),
  stringMapField: z.strictObject({ defaultValue: textsByName(), rules }).openapi('StringMapField'),
}

const providers = {
  userConfig: z.strictObject({ inputTransformationCel: z.string() }).openapi('UserConfig'),
  adminConfig: z
    .strictObject({ defaultValueCel: z.string(), showToUser: z.boolean() })
    .openapi('AdminConfig'),
  sharedConfig: z
    .strictObject({
      defaultValueCel: z.string(),
      inputTransformationCel: z.string(),
      lockDefaultValues: z.boolean(),
    })
    .openapi('SharedConfig'),
}

const field = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    required: z.boolean(),
    readOnly: z.boolean(),
  })
  .extend(oneOfMembersOrNull(fieldTypes))
  .extend(oneOfMembersOrNull(providers))
  .refine(...oneOf(fieldTypes))
  .refine(...oneOf(providers))
  .openapi('Field', { description: 'Exactly one type member and one provider config member are set.' })

const fieldGroup = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    helpText: z.string(),
    default: z.boolean(),
    fields: texts,
  })
  .openapi('FieldGroup')

const relationships = {
  requiredTogether: empty,
  atLeastOne: empty,
  mutuallyExclusive: empty,
  dependentOn: z.strictObject({ dependencyFieldNames: texts }),
}

const fieldRelationship = z
  .strictObject({ fieldNames: texts })
  .extend(oneOfMembersOrNull(relationships))
  .refine(...oneOf(relationships))
  .openapi('FieldRelationship')

export const formSchema = z
  .strictObject({
    id: z.string(),
    displayName: z.string(),
    description: z.string(),
    fields: z.array(field).nullable().default(null),
    fieldGroups: z.array(fieldGroup).nullable().default(null),
    fieldRelationships: z.array(fieldRelationship).nullable().default(null),
  })
  .openapi('Form', { description: 'Nullable fields that a request omits become null.' })
