/**
 * The rules for JSON bodies that a schema can't see: no duplicate keys, no endless numbers, no
 * deep nesting, not too many values.
 *
 * Two readers of one text must not understand it differently, so the server refuses texts that JSON
 * leaves open.
 *
 * @since 0.1.0
 */
import { type Fault, Limits } from "@candlewick/core"
import { pointerTo } from "./faults.ts"

const depthMax = 32

const faultsMax = Limits.faultsMaxCount

/** No record has nearly as many; a schema takes long to refuse each field that it does not know. */
const fieldsMax = 1_000

type Path = ReadonlyArray<string | number>

const faultsOfValue = (value: unknown, path: Path, faults: Array<Fault>): void => {
  const add = (code: string, message: string) => {
    if (faults.length < faultsMax) faults.push({ pointer: pointerTo("#", path), code, message })
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) add("not_finite", "The number is too large to be represented")
  } else if (typeof value === "string") {
    if (!value.isWellFormed()) add("not_well_formed", "The text has half a surrogate pair")
    if (value.includes("\u0000")) add("not_allowed", "The text has a zero character")
  } else if (typeof value === "object" && value !== null) {
    if (path.length >= depthMax) return add("too_deep", `Nested more than ${depthMax} levels deep`)
    if (Array.isArray(value))
      value.forEach((item, index) => faultsOfValue(item, [...path, index], faults))
    else {
      const keys = Object.keys(value)
      if (keys.length > fieldsMax) return add("too_many_fields", `More than ${fieldsMax} fields`)
      for (const key of keys) faultsOfValue((value as never)[key], [...path, key], faults)
    }
  }
}

/** The end of a string; where the text is not JSON, that may be the end of the text. */
const stringEnd = (text: string, start: number): number => {
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1
  return index
}

/**
 * Whether the text has more values than a body may have: each but the first comes after a comma or
 * a bracket. Any later work on a body takes time for each of its values, in one turn of the event
 * loop. This fault is therefore found before the text is even parsed.
 */
const hasTooManyValues = (text: string): boolean => {
  let count = 1
  for (let index = 0; index < text.length && count <= Limits.bodyValuesMaxCount; index++) {
    const letter = text[index]
    if (letter === '"') index = stringEnd(text, index)
    else if (letter === "," || letter === "[" || letter === "{") count++
  }
  return count > Limits.bodyValuesMaxCount
}

const tooManyValues: Fault = {
  pointer: "#",
  code: "too_many_values",
  message: `A body has at most ${Limits.bodyValuesMaxCount} fields and items`
}

interface Frame {
  /** The keys seen so far, or none in a list. */
  readonly keys: Set<string> | undefined
  segment: string | number
}

// The text is known to be JSON, so that the scan needs to know strings and brackets only.
const duplicateKeys = (text: string, faults: Array<Fault>): void => {
  const frames: Array<Frame> = []
  let expectsKey = false
  for (let index = 0; index < text.length; index++) {
    const frame = frames.at(-1)
    switch (text[index]) {
      case "{":
        frames.push({ keys: new Set(), segment: "" })
        expectsKey = true
        break
      case "[":
        frames.push({ keys: undefined, segment: 0 })
        expectsKey = false
        break
      case "}":
      case "]":
        frames.pop()
        expectsKey = false
        break
      case ",":
        expectsKey = frame?.keys !== undefined
        if (frame !== undefined && typeof frame.segment === "number") frame.segment += 1
        break
      case '"': {
        const end = stringEnd(text, index)
        if (expectsKey && frame?.keys !== undefined) {
          const key = JSON.parse(text.slice(index, end + 1)) as string
          frame.segment = key
          if (frame.keys.has(key) && faults.length < faultsMax) {
            const path = frames.map((each) => each.segment)
            faults.push({
              pointer: pointerTo("#", path),
              code: "duplicate_key",
              message: "The field occurs more than once"
            })
          }
          frame.keys.add(key)
          expectsKey = false
        }
        index = end
      }
    }
  }
}

/**
 * Everything that is wrong with a body as JSON; `undefined` where it is not JSON at all. A body of
 * too many values is not looked at any further.
 *
 * @category checks
 * @since 0.1.0
 */
export const faultsOfJson = (
  text: string
): { readonly value: unknown; readonly faults: ReadonlyArray<Fault> } | undefined => {
  if (hasTooManyValues(text)) return { value: undefined, faults: [tooManyValues] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const faults: Array<Fault> = []
  faultsOfValue(value, [], faults)
  if (faults.every((fault) => fault.code !== "too_deep")) duplicateKeys(text, faults)
  return { value, faults }
}
