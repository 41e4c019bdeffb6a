/**
 * The one session that an embedded database has at a time: sessions of its users take turns in it.
 *
 * @since 0.1.0
 */
import type { PGlite } from "@electric-sql/pglite"
import { isAtRest, terminate } from "./frames.ts"

type Chunks = ReadonlyArray<Uint8Array<ArrayBuffer>>

const nobody = -1

/** The session of a database, and whose it is now. @category models @since 0.1.0 */
export class OneSession {
  private readonly pg: PGlite
  private owner = nobody
  private resting = true

  constructor(pg: PGlite) {
    this.pg = pg
  }

  /** Whether no transaction is open. */
  get isResting(): boolean {
    return this.resting
  }

  /** Answers frames of a user's session, after the sync that they asked for. */
  async answer(session: number, frames: Uint8Array): Promise<Chunks> {
    if (this.owner !== session) {
      await this.end(this.owner)
      this.owner = session
    }
    const chunks = frames[0] === terminate ? [] : await this.run(frames)
    const last = chunks.at(-1)
    if (last !== undefined) this.resting = isAtRest(last)
    return chunks
  }

  /** Leaves nothing of a user's session behind: no transaction, no prepared statement. */
  async end(session: number): Promise<void> {
    if (session !== this.owner || session === nobody) return
    this.owner = nobody
    this.resting = true
    await this.rollBack()
    await this.pg.exec("discard all")
  }

  /** Undoes uncommitted writes. */
  async rollBack(): Promise<void> {
    if (this.pg.isInTransaction()) await this.pg.exec("rollback")
  }

  private async run(frames: Uint8Array): Promise<Chunks> {
    const chunks: Array<Uint8Array<ArrayBuffer>> = []
    await this.pg.execProtocolRawStream(frames, {
      onRawData: (bytes) => void chunks.push(bytes.slice())
    })
    return chunks
  }
}
