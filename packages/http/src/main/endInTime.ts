/**
 * The end of the process on a signal, within a bound, also while work still runs.
 *
 * Everything that was acknowledged is kept by then, and the next process goes on with the
 * interrupted work. It finds the same as after a `kill -9`. So the process may end without waiting
 * any longer.
 *
 * @since 0.1.0
 */

/** How long the process may take to end after the first signal. */
export const endsWithinMs = 20_000

/** How long requests under way may take of that; the rest is for runs, bots and the database. */
export const requestsEndWithinMs = 15_000

/** Signals that come sooner than this after the first count as the same one: npm may repeat it. */
const repeatedWithinMs = 1_000

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * Ends the process in time after SIGINT or SIGTERM, and at once after a second one. The runner of
 * the program passes it the first signal.
 *
 * @category models
 * @since 0.1.0
 */
export const endInTime = (): void => {
  let signalCount = 0
  let isRepetition = false
  const onSignal = (signal: keyof typeof signalNumbers): void => {
    if (isRepetition) return
    signalCount++
    if (signalCount > 1) {
      console.error(`Candlewick ends at once: ${signal} came again`)
      process.exit(128 + signalNumbers[signal])
    }
    isRepetition = true
    setTimeout(() => {
      isRepetition = false
    }, repeatedWithinMs).unref()
    setTimeout(() => {
      const seconds = endsWithinMs / 1_000
      console.error(
        `Candlewick ends now, ${seconds} s after ${signal}: runs under way go on after the next start`
      )
      process.exit(0)
    }, endsWithinMs).unref()
  }
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)
}
