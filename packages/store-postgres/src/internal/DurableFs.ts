/**
 * The files of an embedded database, with every sync that PostgreSQL asks for carried out.
 *
 * PGlite runs PostgreSQL without waiting for the disk. Here PostgreSQL's own order of syncs holds:
 * the log before a commit is answered, data files before a checkpoint ends, folders after a rename.
 *
 * @since 0.1.0
 */
import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import fs from "node:fs"
import { dirname, join } from "node:path"
import { othersBits } from "./directoryModes.ts"

/** The options that PGlite must be started with, so that it asks for syncs. */
export const durableStartParams = (defaults: ReadonlyArray<string>): Array<string> => [
  // -F is the switch that leaves all syncs out; fdatasync, the default method, reaches no file.
  ...defaults.filter((param) => param !== "-F"),
  "-c",
  "wal_sync_method=fsync"
]

interface Node {
  readonly name: string
  readonly parent: Node
}

interface FileStream {
  readonly nfd: number
  readonly node: Node
}

/** The change to a file; a mode where it is that. */
interface Attributes {
  readonly mode?: number
}

/** PGlite asks for modes that let everybody in, for its own files are in memory by default. */
const closed = (attributes: Attributes): Attributes =>
  attributes.mode === undefined
    ? attributes
    : { ...attributes, mode: attributes.mode & ~othersBits }

/** The used methods of the module's own files on the host. */
interface HostFiles {
  readonly realPath: (node: Node) => string
  readonly stream_ops: {
    fsync?: (stream: FileStream) => number
    write: (stream: FileStream, ...rest: ReadonlyArray<unknown>) => number
    setattr: (stream: FileStream, attributes: Attributes) => void
    close: (stream: FileStream) => void
  }
  readonly node_ops: {
    setattr: (node: Node, attributes: Attributes) => void
    mknod: (parent: Node, name: string, mode: number, ...rest: ReadonlyArray<unknown>) => Node
    rename: (node: Node, folder: Node, name: string) => void
    unlink: (parent: Node, name: string) => void
    rmdir: (parent: Node, name: string) => void
  }
}

/** Syncs a file or a folder by its path. */
export const syncPath = (path: string): void => {
  const handle = fs.openSync(path, "r")
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

const pathsIn = (folder: string): ReadonlyArray<string> => [
  ...fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ name, parentPath }) => join(parentPath, name)),
  folder
]

const syncsAtOnce = 64

/** Syncs a folder and all that is in it; a disk takes many syncs at once in the time of a few. */
export const syncTree = async (folder: string): Promise<void> => {
  const left = [...pathsIn(folder)]
  const sync = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const handle = await fs.promises.open(path, "r")
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
  }
  await Promise.all(Array.from({ length: syncsAtOnce }, sync))
}

/** Files on the host that survive a loss of power. */
export class DurableFs extends NodeFS {
  /** How much was written to the log since this was last set to 0. */
  logBytes = 0
  /**
   * A log file that PostgreSQL wants synced: it is, before anything else is written or answered.
   */
  #waiting: number | undefined
  /** Folders with entries that were made or moved since they were last synced. */
  readonly #changed = new Set<string>()
  readonly #onAbort: (reason: string) => never

  /** `onAbort` ends the thread of a database that must not go on, and does not return. */
  constructor(directory: string, onAbort: (reason: string) => never) {
    super(directory)
    this.#onAbort = onAbort
  }

  override async init(
    pg: PGlite,
    options: Parameters<NodeFS["init"]>[1]
  ): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options)
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        onAbort: (reason: unknown) => this.#onAbort(String(reason)),
        preRun: [
          (mod: unknown) => this.#instrument((mod as { NODEFS: HostFiles }).NODEFS),
          ...(emscriptenOpts.preRun ?? [])
        ]
      }
    }
  }

  /** Called by PGlite after each message, before its answer leaves. */
  override async syncToFs(): Promise<void> {
    this.#flushLog()
  }

  /**
   * Data that could not be synced may be lost, and asking again shows nothing. The database ends,
   * and it reads its log when it is opened again.
   */
  #orEnd(sync: () => void): void {
    try {
      sync()
    } catch (error) {
      this.#onAbort(`could not sync: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #flushLog(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    // Log files are written full of zeros when they are made, so their size never changes.
    this.#orEnd(() => fs.fdatasyncSync(waiting))
  }

  #isLog(node: Node): boolean {
    return node.parent.name === "pg_wal" && /^[0-9A-F]{24}$/.test(node.name)
  }

  #sync(host: HostFiles, stream: FileStream): number {
    if (this.#waiting !== stream.nfd) this.#flushLog()
    if (this.#isLog(stream.node)) {
      this.#waiting = stream.nfd
      return 0
    }
    const path = host.realPath(stream.node)
    const folder = dirname(path)
    this.#changed.delete(path)
    this.#orEnd(() => {
      fs.fsyncSync(stream.nfd)
      // Not every file system keeps the name of a new file when the file is synced.
      if (this.#changed.delete(folder)) syncPath(folder)
    })
    return 0
  }

  #instrument(host: HostFiles): void {
    const { node_ops: onNode, stream_ops: onStream } = host
    const { close, setattr, write } = onStream
    const { mknod, rename, rmdir, setattr: setNode, unlink } = onNode
    const changes = (folder: Node) => this.#changed.add(host.realPath(folder))
    onStream.fsync = (stream) => this.#sync(host, stream)
    onStream.write = (stream, ...rest) => {
      if (this.#isLog(stream.node)) {
        const written = write(stream, ...rest)
        this.logBytes += written
        return written
      }
      this.#flushLog()
      return write(stream, ...rest)
    }
    onStream.setattr = (stream, attributes) => {
      this.#flushLog()
      setattr(stream, closed(attributes))
    }
    onStream.close = (stream) => {
      if (this.#waiting === stream.nfd) this.#flushLog()
      close(stream)
    }
    onNode.setattr = (node, attributes) => {
      this.#flushLog()
      setNode(node, closed(attributes))
    }
    onNode.mknod = (parent, name, mode, ...rest) => {
      changes(parent)
      return mknod(parent, name, mode & ~othersBits, ...rest)
    }
    onNode.rename = (node, folder, name) => {
      this.#flushLog()
      changes(folder)
      rename(node, folder, name)
    }
    onNode.unlink = (parent, name) => {
      this.#flushLog()
      unlink(parent, name)
    }
    onNode.rmdir = (parent, name) => {
      this.#flushLog()
      rmdir(parent, name)
    }
  }
}
