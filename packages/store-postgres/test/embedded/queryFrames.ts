/**
 * Frames of PostgreSQL's protocol as a client sends them.
 */

/** The first frame of a session. */
export const startupFrame: Uint8Array = (() => {
  const body = Buffer.from("\0\x03\0\0user\0postgres\0database\0postgres\0\0", "latin1")
  const frame = Buffer.alloc(4 + body.length)
  frame.writeInt32BE(frame.length)
  body.copy(frame, 4)
  return new Uint8Array(frame)
})()

/** A text of statements. */
export const simpleQuery = (sql: string): Uint8Array => {
  const text = Buffer.from(`${sql}\0`)
  const frame = Buffer.alloc(5 + text.length)
  frame.write("Q")
  frame.writeInt32BE(4 + text.length, 1)
  text.copy(frame, 5)
  return new Uint8Array(frame)
}
