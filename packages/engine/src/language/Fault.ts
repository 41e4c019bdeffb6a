/**
 * A fault of a caller's input, and the error that carries one or more of them.
 *
 * A fault has a JSON pointer, a code for programs and a sentence for people. It never quotes a
 * secret.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** One fault of a request, and where it is, as a JSON pointer. @category schemas @since 0.1.0 */
export const Fault = Schema.Struct({
  pointer: Schema.String,
  code: Schema.String,
  message: Schema.String
})

/** One fault of a request, and where it is. @category models @since 0.1.0 */
export type Fault = typeof Fault.Type

/** All faults as one sentence. @category errors @since 0.1.0 */
export const detailOf = (errors: ReadonlyArray<Fault>): string =>
  `${errors.map(({ message }) => message.replace(/\.$/, "")).join("; ")}.`

/**
 * The text of an error: one line a fault, with the place where the fault is.
 *
 * Faults without a place are already in the detail, which is the text then.
 *
 * @category errors
 * @since 0.1.0
 */
export const messageOf = (detail: string, errors: ReadonlyArray<Fault>): string => {
  const faults = errors.map(({ message, pointer }) => ({
    place: pointer.replace(/^#/, ""),
    message
  }))
  if (faults.every(({ place }) => place === "")) return detail
  return faults
    .map(({ message, place }) => (place === "" ? message : `${place}: ${message}`))
    .join("\n")
}

/**
 * A strategy, an option or candles that a call refuses.
 *
 * `errors` names every fault that was found, each with a JSON pointer into the argument.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  detail: Schema.String,
  errors: Schema.Array(Fault)
}) {
  /** The code that the service answers for the same fault. */
  readonly code = "validation_failed"

  /** One line a fault. */
  override get message(): string {
    return messageOf(this.detail, this.errors)
  }
}

/** An input with faults; the detail lists all of them. @category errors @since 0.1.0 */
export const invalidInput = (errors: ReadonlyArray<Fault>): InvalidInput =>
  new InvalidInput({ detail: detailOf(errors), errors })

/** Throws an input with one fault. @category errors @since 0.1.0 */
export const refuse = (pointer: string, code: string, message: string): never => {
  throw invalidInput([{ pointer, code, message }])
}
