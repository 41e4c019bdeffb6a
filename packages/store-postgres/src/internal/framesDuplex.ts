/**
 * A byte stream that speaks PostgreSQL's protocol with an embedded database, so that one SQL client
 * serves both.
 *
 * @since 0.1.0
 */
import { Duplex } from "node:stream"
import { isCancelRequest, wholeFrames } from "./frames.ts"

/** The other end of a stream: it answers whole frames, one batch after the other. */
export interface FrameExchange {
  readonly exchange: (
    frames: Buffer,
    answer: (answer: ReadonlyArray<Uint8Array> | Error) => void
  ) => void
  /** Called once when the stream is over. */
  readonly end: () => void
}

/** A connection to an embedded database. */
export const framesDuplex = ({ end, exchange }: FrameExchange): Duplex => {
  let pending: Buffer = Buffer.alloc(0)
  let isStarted = false

  const write = (chunk: Buffer, done: (error?: Error | null) => void): void => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const size = wholeFrames(pending, isStarted)
    if (size === 0) return done()
    const frames = pending.subarray(0, size)
    pending = pending.subarray(size)
    // A running query can't be stopped here: a request for that is heard and no more.
    if (!isStarted && isCancelRequest(frames)) {
      done()
      return void duplex.destroy()
    }
    isStarted = true
    exchange(frames, (answer) => {
      if (answer instanceof Error) return done(answer)
      for (const bytes of answer) duplex.push(bytes)
      done()
    })
  }

  const duplex: Duplex = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => write(chunk, done),
    // Statements that came while the last batch was under way go as one, so that one sync serves
    // all of them.
    writev: (chunks: ReadonlyArray<{ readonly chunk: Buffer }>, done) =>
      write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    final(done) {
      duplex.push(null)
      done()
    },
    destroy(error, done) {
      if (isStarted) end()
      done(error)
    }
  })
  return duplex
}
