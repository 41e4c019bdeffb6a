/**
 * Errors of a strategy's code, told apart from faults of the engine.
 *
 * An error goes on as it was thrown, with its own class and stack, unless to read it throws.
 * Callers that may not show other errors show the words of these: they are those of the strategy's
 * author.
 *
 * @since 0.1.0
 */
const wordsByError = new WeakMap<Error, string>()

/** More of a message is left out. */
const wordsMax = 500

const shownTypes = new Set(["string", "number", "bigint", "boolean"])

/** The message of a thrown value, as one line; code may throw anything. */
const lineOf = (thrown: unknown): string => {
  const isObject = typeof thrown === "object" && thrown !== null
  const message: unknown = isObject && "message" in thrown ? thrown.message : thrown
  const text = shownTypes.has(typeof message) ? `${message as string | number}` : ""
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()
  return line.slice(0, wordsMax).toWellFormed() || "an error without words"
}

/** Reads the parts of an error that logs and other threads show. */
const readShown = ({ cause, message, name, stack }: Error): ReadonlyArray<unknown> => [
  cause,
  message,
  name,
  stack
]

const describe = (thrown: unknown): readonly [error: Error, words: string] => {
  let words = "an error that can't be read"
  try {
    words = lineOf(thrown)
    if (!(thrown instanceof Error)) return [new Error(words, { cause: thrown }), words]
    readShown(thrown)
    return [thrown, words]
  } catch {
    // To read it throws in its turn, and would do so in a log.
    return [new Error(words), words]
  }
}

/** Takes a thrown value as the code's error, to be thrown on. */
export const asCodeError = (thrown: unknown): Error => {
  const [error, words] = describe(thrown)
  wordsByError.set(error, words)
  return error
}

/** The answer of a part of the code; an error that it throws goes on, and is known as one. */
export const askingCode = <A>(ask: () => A): A => {
  try {
    return ask()
  } catch (error) {
    throw asCodeError(error)
  }
}

/** The words of an error of code, or of an answer that is refused; null for any other error. */
export const wordsOfCodeError = (error: unknown): string | null => {
  const words = error instanceof Error ? wordsByError.get(error) : undefined
  return words === undefined ? null : `the strategy's code failed: ${words}`
}
