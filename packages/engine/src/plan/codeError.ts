/**
 * Errors of a strategy's code, told apart from faults of the engine.
 *
 * An error goes on as it was thrown, with its own class and stack. Callers that may not show other
 * errors show the words of these: they are those of the strategy's author.
 *
 * @since 0.1.0
 */
const known = new WeakSet<Error>()

/** More of a message is left out. */
const wordsMax = 500

/** Takes a thrown value as the code's error, to be thrown on. */
export const asCodeError = (thrown: unknown): Error => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  known.add(error)
  return error
}

/** The words of an error of code, or of an answer that is refused; null for any other error. */
export const wordsOfCodeError = (error: unknown): string | null =>
  error instanceof Error && known.has(error)
    ? `the strategy's code failed: ${error.message.slice(0, wordsMax)}`
    : null
