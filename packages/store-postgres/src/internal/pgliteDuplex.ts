/**
 * A byte stream that speaks PostgreSQL's protocol with an embedded PGlite, so that one SQL client
 * serves both.
 *
 * @since 0.1.0
 */
import type { PGlite } from "@electric-sql/pglite"
import { Duplex } from "node:stream"

const terminate = 0x58

/**
 * How many bytes of whole frames stand at the start; the first frame of a session has no type byte.
 */
const wholeFrames = (pending: Buffer, isStarted: boolean): number => {
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

/** A connection to an embedded database; ending it leaves the session open for the next one. */
export const pgliteDuplex = (database: PGlite): Duplex => {
  let pending: Buffer = Buffer.alloc(0)
  let isStarted = false
  const duplex: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const end = wholeFrames(pending, isStarted)
      if (end === 0) return done()
      isStarted = true
      const frames = pending.subarray(0, end)
      pending = pending.subarray(end)
      if (frames[0] === terminate) return done()
      const answer = { onRawData: (bytes: Uint8Array) => void duplex.push(Buffer.from(bytes)) }
      database
        .runExclusive(() => database.execProtocolRawStream(frames, answer))
        .then(() => done(), done)
    },
    final(done) {
      duplex.push(null)
      done()
    }
  })
  return duplex
}
