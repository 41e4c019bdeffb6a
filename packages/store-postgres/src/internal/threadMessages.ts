/**
 * The messages between the thread of an embedded database and its owner.
 *
 * @since 0.1.0
 */

/** The options of the thread at its start. */
export interface ThreadOptions {
  readonly directory: string
  /** Bytes of log after which data files are written, so that a restart has little to read. */
  readonly checkpointBytes: number
  /** How often tables are looked at for dead rows. */
  readonly upkeepMs: number
}

/** A message to the thread. */
export type ToThread =
  /** Whole frames of a session; another session's first ones end the one before. */
  | { readonly type: "frames"; readonly session: number; readonly bytes: Uint8Array }
  /** The session is over: its open transaction is undone. */
  | { readonly type: "end"; readonly session: number }
  /** Copies the data directory, as it is between two messages. */
  | { readonly type: "copy"; readonly target: string }
  | { readonly type: "close" }

/** A message of the thread. */
export type FromThread =
  | { readonly type: "ready" }
  /** The answer to one message of frames, whole. */
  | {
      readonly type: "answer"
      readonly session: number
      readonly chunks: ReadonlyArray<Uint8Array>
    }
  /** A copy is whole and on the disk, or why there is none. */
  | { readonly type: "copied"; readonly target: string; readonly reason: string | null }
  /** The last words before the thread ends. */
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "closed" }
