const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Whether this is a version 4 UUID of the RFC 9562 variant, with hyphens, in any letter case. */
export const isUuidV4 = (text: string): boolean => UUID_V4.test(text)
