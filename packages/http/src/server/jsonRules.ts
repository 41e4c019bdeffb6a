/**
 * The rules for JSON bodies that a schema can't see: no duplicate keys, no endless numbers, no
 * deep nesting.
 *
 * Two readers of one text must not understand it differently, so what JSON leaves open is refused
 * here.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/core"
import { pointerTo } from "./faults.ts"

const depthMax = 32

const faultsMax = 100

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
    else
      for (const key of Object.keys(value))
        faultsOfValue((value as never)[key], [...path, key], faults)
  }
}

const stringEnd = (text: string, start: number): number => {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === "\\" ? 2 : 1
  return index
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
 * Everything that is wrong with a body as JSON; `undefined` where it is not JSON at all.
 *
 * @category checks
 * @since 0.1.0
 */
export const faultsOfJson = (
  text: string
): { readonly value: unknown; readonly faults: ReadonlyArray<Fault> } | undefined => {
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
