import type { FormField } from '../../body.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'

/** The media type of forms. */
export const FORM = 'application/x-www-form-urlencoded'

const LONGEST_NAME = 4096

/**
 * Decodes the fields of `application/x-www-form-urlencoded`, in order. Keeps the values as bytes, because strings of a stranger's
 * form cost several times its size in fresh memory. Undefined if the percent encoding or the UTF-8 of a name is malformed, or
 * if a name is too long: over 4 KB by default. Stops after `most` fields.
 */
export function formFields(
  form: Uint8Array,
  longestName: number = LONGEST_NAME,
  most: number = Infinity,
): readonly FormField[] | undefined {
  const decoded = new Uint8Array(form.length)
  const fields: FormField[] = []
  let [length, start, nameEnd] = [0, 0, -1]
  for (let index = 0; index <= form.length; index += 1) {
    const code = form[index]
    if (code === undefined || code === 0x26 /* & */) {
      const end = nameEnd < 0 ? length : nameEnd
      if (nameEnd >= 0 || length > start) {
        const name = end - start > longestName ? undefined : decodeUtf8(decoded.subarray(start, end))
        if (name === undefined) return undefined
        fields.push({ name, value: decoded.subarray(end, length) })
        if (fields.length === most) return fields
      }
      start = length
      nameEnd = -1
    } else if (code === 0x3d /* = */ && nameEnd < 0) nameEnd = length
    else if (code === 0x25 /* % */) {
      const byte = 16 * digitOf(form[index + 1]) + digitOf(form[index + 2])
      if (Number.isNaN(byte)) return undefined
      decoded[length] = byte
      length += 1
      index += 2
    } else {
      decoded[length] = code === 0x2b /* + */ ? 0x20 : code
      length += 1
    }
  }
  return fields
}

/** Returns the only value. Undefined if there is none or more than one, because parsers disagree about which one counts. */
export function onlyOne<Value>([found, another]: readonly Value[]): Value | undefined {
  return another === undefined ? found : undefined
}

/** The decoded value of a form's only field. Undefined if the form has other fields, or repeats it. */
export function onlyField(form: Uint8Array, name: string): Uint8Array | undefined {
  const field = onlyOne(formFields(form, LONGEST_NAME, 2) ?? [])
  return field?.name === name ? field.value : undefined
}

/** The value of a hexadecimal digit. NaN for any other byte. */
function digitOf(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}
