/**
 * Ids for tests: valid, rising, and never met before.
 *
 * Each process begins at a random place, so that suites that run side by side on one database don't
 * meet.
 *
 * @since 0.1.0
 */
import { type IdKind, idPrefixes } from "../domain/Identifier.ts"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const processPart = Array.from(
  crypto.getRandomValues(new Uint8Array(9)),
  (byte) => alphabet[byte & 31]
).join("")

let made = 0

const countPart = (length: number): string => {
  let rest = ++made
  let text = ""
  for (let index = 0; index < length; index++) {
    text = alphabet[rest & 31]! + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** A new id of this kind, which sorts after every one before it. @category testing @since 0.1.0 */
export const testId = (kind: IdKind): string =>
  `${idPrefixes[kind]}_01KBJ00000${processPart}${countPart(7)}`

/** A new symbol, which sorts after every one before it. @category testing @since 0.1.0 */
export const testSymbol = (): string => `T${processPart}${countPart(5)}/USD`

/** A new text for records without an id of their own. @category testing @since 0.1.0 */
export const testName = (): string => `n${processPart}${countPart(7)}`
