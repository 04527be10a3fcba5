/** Compares two strings in time that depends only on their lengths. */
export function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index) // NaN past the end counts as 0
  }
  return difference === 0
}
