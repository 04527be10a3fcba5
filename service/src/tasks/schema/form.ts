import { z } from '@hono/zod-openapi'
import { oneOfMembers, setMembers } from '../../http/exactly-one.ts'

/** Specification, 2.8. The inner fields of views and rules are not shown: they are kept as given. */
const view = z.looseObject({}).openapi({ description: 'Its fields are not shown.' })
const rules = view.nullable()
const int64 = z
  .string()
  .regex(/^-?\d{1,19}$/)
  .nullable()
  .openapi({ format: 'int64', description: 'A decimal string.' })

const empty = z.looseObject({})

const fieldTypes = oneOfMembers({
  stringField: z
    .strictObject({ defaultValue: z.string(), placeholder: z.string(), rules })
    .extend(
      oneOfMembers({
        textField: view,
        passwordField: view,
        selectField: view,
        pickerField: view,
        dateField: view,
      }).shape,
    )
    .openapi('StringField'),
  boolField: z
    .strictObject({ defaultValue: z.boolean(), rules })
    .extend(oneOfMembers({ checkboxField: view, toggleField: view }).shape)
    .openapi('BoolField'),
  stringSliceField: z
    .strictObject({ defaultValues: z.array(z.string()).nullable(), placeholder: z.string(), rules })
    .extend(oneOfMembers({ chipsField: view, pickerField: view }).shape)
    .openapi('StringSliceField'),
  int64Field: z
    .strictObject({ defaultValue: int64, placeholder: z.string(), rules, numberField: view.nullable() })
    .openapi('Int64Field'),
  fileField: z
    .strictObject({
      acceptedFileTypes: z.array(z.string()).nullable(),
      maxFileSize: int64,
      fileInputField: view.nullable(),
    })
    .openapi('FileField'),
  oauth2Field: z.strictObject({ oauth2FieldView: view.nullable() }).openapi('Oauth2Field'),
  stringMapField: z
    .strictObject({ defaultValue: z.record(z.string(), z.string()), rules })
    .openapi('StringMapField'),
})

const providers = oneOfMembers({
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
})

function setAmong(given: object, members: object): number {
  return setMembers(given).filter(([name]) => name in members).length
}

const field = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    required: z.boolean(),
    readOnly: z.boolean(),
  })
  .extend(fieldTypes.shape)
  .extend(providers.shape)
  .refine((given) => setAmong(given, fieldTypes.shape) === 1, { error: 'Set exactly one type member.' })
  .refine((given) => setAmong(given, providers.shape) === 1, { error: 'Set exactly one provider config.' })
  .openapi('Field', { description: 'One type member and one provider config member are set.' })

const fieldGroup = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    helpText: z.string(),
    default: z.boolean(),
    fields: z.array(z.string()).nullable(),
  })
  .openapi('FieldGroup')

const fieldRelationship = z
  .strictObject({ fieldNames: z.array(z.string()).nullable() })
  .extend(
    oneOfMembers({
      requiredTogether: empty,
      atLeastOne: empty,
      mutuallyExclusive: empty,
      dependentOn: z.strictObject({ dependencyFieldNames: z.array(z.string()).nullable() }),
    }).shape,
  )
  .openapi('FieldRelationship')

export const formSchema = z
  .strictObject({
    id: z.string(),
    displayName: z.string(),
    description: z.string(),
    fields: z.array(field).nullable(),
    fieldGroups: z.array(fieldGroup).nullable(),
    fieldRelationships: z.array(fieldRelationship).nullable(),
  })
  .openapi('Form')
