/**
 * The text of API keys: `cw_live_<id12><secret43><crc6>`.
 *
 * Brand and environment make a leaked key recognisable. Six check characters refuse a typo without
 * a look-up, and `_` rather than `-` lets a double click select the whole.
 *
 * @since 0.1.0
 */
import { crc32 } from "@candlewick/engine/kernel"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const lookupLength = 12
const secretLength = 43
const checkLength = 6
const shape = /^cw_(live|test)_([0-9A-Za-z]{12})([0-9A-Za-z]{43})[0-9A-Za-z]{6}$/

const checkOf = (text: string): string => {
  let rest = crc32(new TextEncoder().encode(text))
  let check = ""
  for (let index = 0; index < checkLength; index++) {
    check = alphabet[rest % 62]! + check
    rest = Math.floor(rest / 62)
  }
  return check
}

const randomText = (length: number): string => {
  let text = ""
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      // 248 is the largest multiple of 62 in a byte: above it, some characters would be likelier
      // than others.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]!
    }
  }
  return text
}

/** The parts of a key's text. */
export interface KeyText {
  readonly environment: "live" | "test"
  readonly lookup: string
  readonly secret: string
}

/** A fresh key from the host's secure randomness. */
export const makeKeyText = (environment: KeyText["environment"]): KeyText => ({
  environment,
  lookup: randomText(lookupLength),
  secret: randomText(secretLength)
})

/** Writes a key with its check characters. */
export const toKeyText = ({ environment, lookup, secret }: KeyText): string => {
  const text = `cw_${environment}_${lookup}${secret}`
  return text + checkOf(text)
}

/**
 * Reads a key: null where the text isn't shaped like one, "mistyped" where the check characters
 * disagree.
 */
export const fromKeyText = (text: string): KeyText | "mistyped" | null => {
  const match = shape.exec(text)
  if (match === null) return null
  if (checkOf(text.slice(0, -checkLength)) !== text.slice(-checkLength)) return "mistyped"
  const [, environment, lookup, secret] = match
  return { environment: environment as KeyText["environment"], lookup: lookup!, secret: secret! }
}
