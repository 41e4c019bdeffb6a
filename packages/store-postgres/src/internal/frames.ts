/**
 * The frames of PostgreSQL's protocol, as far as a go-between must know them.
 *
 * @since 0.1.0
 */

/** The first byte of the frame that ends a session. */
export const terminate = 0x58

const cancelRequest = 80_877_102

/**
 * How many bytes of whole frames stand at the start; the first frame of a session has no type byte.
 */
export const wholeFrames = (pending: Buffer, isStarted: boolean): number => {
  let end = 0
  let started = isStarted
  while (pending.length - end >= 5) {
    const size = started ? 1 + pending.readInt32BE(end + 1) : pending.readInt32BE(end)
    if (pending.length - end < size) break
    started = true
    end += size
  }
  return end
}

/** Whether a session begins only to have another one's statement cancelled. */
export const isCancelRequest = (startup: Buffer): boolean =>
  startup.length >= 8 && startup.readInt32BE(4) === cancelRequest

/**
 * Whether an answer leaves the session at rest: it ends with ReadyForQuery, in no transaction.
 */
export const isAtRest = (answer: Uint8Array): boolean => {
  const last = answer.subarray(-6)
  return last.length === 6 && last[0] === 0x5a && last[4] === 5 && last[5] === 0x49
}
