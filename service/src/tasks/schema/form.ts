import { z } from '@hono/zod-openapi'
import { oneOfMembers } from '../../http/exactly-one.ts'

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
    .object({ defaultValue: z.string(), placeholder: z.string(), rules })
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
    .object({ defaultValue: z.boolean(), rules })
    .extend(oneOfMembers({ checkboxField: view, toggleField: view }).shape)
    .openapi('BoolField'),
  stringSliceField: z
    .object({ defaultValues: z.array(z.string()).nullable(), placeholder: z.string(), rules })
    .extend(oneOfMembers({ chipsField: view, pickerField: view }).shape)
    .openapi('StringSliceField'),
  int64Field: z
    .object({ defaultValue: int64, placeholder: z.string(), rules, numberField: view.nullable() })
    .openapi('Int64Field'),
  fileField: z
    .object({
      acceptedFileTypes: z.array(z.string()).nullable(),
      maxFileSize: int64,
      fileInputField: view.nullable(),
    })
    .openapi('FileField'),
  oauth2Field: z.object({ oauth2FieldView: view.nullable() }).openapi('Oauth2Field'),
  stringMapField: z
    .object({ defaultValue: z.record(z.string(), z.string()), rules })
    .openapi('StringMapField'),
})

const providers = oneOfMembers({
  userConfig: z.object({ inputTransformationCel: z.string() }).openapi('UserConfig'),
  adminConfig: z.object({ defaultValueCel: z.string(), showToUser: z.boolean() }).openapi('AdminConfig'),
  sharedConfig: z
    .object({
      defaultValueCel: z.string(),
      inputTransformationCel: z.string(),
      lockDefaultValues: z.boolean(),
    })
    .openapi('SharedConfig'),
})

const field = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    required: z.boolean(),
    readOnly: z.boolean(),
  })
  .extend(fieldTypes.shape)
  .extend(providers.shape)
  .openapi('Field', { description: 'One type member and one provider config member are set.' })

const fieldGroup = z
  .object({
    name: z.string(),
    displayName: z.string(),
    helpText: z.string(),
    default: z.boolean(),
    fields: z.array(z.string()).nullable(),
  })
  .openapi('FieldGroup')

const fieldRelationship = z
  .object({ fieldNames: z.array(z.string()).nullable() })
  .extend(
    oneOfMembers({
      requiredTogether: empty,
      atLeastOne: empty,
      mutuallyExclusive: empty,
      dependentOn: z.object({ dependencyFieldNames: z.array(z.string()).nullable() }),
    }).shape,
  )
  .openapi('FieldRelationship')

export const formSchema = z
  .object({
    id: z.string(),
    displayName: z.string(),
    description: z.string(),
    fields: z.array(field).nullable(),
    fieldGroups: z.array(fieldGroup).nullable(),
    fieldRelationships: z.array(fieldRelationship).nullable(),
  })
  .openapi('Form')
