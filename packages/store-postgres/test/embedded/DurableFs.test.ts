/**
 * Which files are synced when: PostgreSQL's own order, seen at the files of the host.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fs from "node:fs"
import { join } from "node:path"
import { DurableFs, durableStartParams, syncTree } from "../../src/internal/DurableFs.ts"
import { type DiskRecording, recordDisk } from "./recordDisk.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

interface Node {
  readonly name: string
  readonly parent: Node
}

interface FileStream {
  readonly nfd: number
  readonly node: Node
}

interface Attributes {
  readonly mode?: number
  readonly size?: number
}

const root: Node = {
  name: "",
  get parent() {
    return this
  }
}

const pathOf = (node: Node): string => (node === root ? "" : join(pathOf(node.parent), node.name))

/** The module's files of a folder of this machine, as far as a database asks for them. */
const hostOf = (folder: string) => {
  const realPath = (node: Node): string => join(folder, pathOf(node))
  const change = (path: string, { mode, size }: Attributes): void => {
    if (mode !== undefined) fs.chmodSync(path, mode)
    if (size === undefined) return
    const file = fs.openSync(path, "r+")
    fs.ftruncateSync(file, size)
    fs.closeSync(file)
  }
  return {
    realPath,
    stream_ops: {
      fsync: (_stream: FileStream): number => 0,
      write: ({ nfd }: FileStream, bytes: Uint8Array): number =>
        fs.writeSync(nfd, bytes, 0, bytes.length, 0),
      setattr: ({ node }: FileStream, attributes: Attributes) => change(realPath(node), attributes),
      close: ({ nfd }: FileStream) => fs.closeSync(nfd)
    },
    node_ops: {
      setattr: (node: Node, attributes: Attributes) => change(realPath(node), attributes),
      mknod: (parent: Node, name: string, mode: number): Node => {
        const node = { name, parent }
        fs.writeFileSync(realPath(node), "", { mode })
        return node
      },
      rename: (node: Node, parent: Node, name: string) =>
        fs.renameSync(realPath(node), realPath({ name, parent })),
      unlink: (parent: Node, name: string) => fs.unlinkSync(realPath({ name, parent })),
      rmdir: (parent: Node, name: string) => fs.rmdirSync(realPath({ name, parent }))
    }
  }
}

const walName = "000000010000000000000001"
const bytes = new Uint8Array([1, 2, 3])

/** Durable files in an empty folder, with a log file and a data file that are open. */
const opened = Effect.gen(function* () {
  const folder = yield* temporaryDirectory
  const aborts: Array<string> = []
  const files = new DurableFs(folder, (reason) => {
    aborts.push(reason)
    throw new Error("ended")
  })
  const host = hostOf(folder)
  const { emscriptenOpts } = yield* Effect.promise(() => files.init({} as never, {}))
  const [instrument] = emscriptenOpts.preRun as ReadonlyArray<(mod: unknown) => void>
  instrument!({ NODEFS: host })
  const { node_ops: onNode, stream_ops: onStream } = host
  const folderOf = (name: string): Node => {
    fs.mkdirSync(join(folder, name))
    return { name, parent: root }
  }
  const open = (parent: Node, name: string): FileStream => {
    const node = onNode.mknod(parent, name, 0o600)
    return { node, nfd: fs.openSync(host.realPath(node), "r+") }
  }
  const [wal, base, empty] = ["pg_wal", "base", "empty"].map(folderOf) as [Node, Node, Node]
  const [log, data] = [open(wal, walName), open(base, "1259")]
  // The new entries of the data file and its folder are kept before the test begins.
  onStream.fsync(data)
  const recording = yield* Effect.acquireRelease(
    Effect.sync(() => recordDisk(folder)),
    ({ stop }: DiskRecording) => Effect.sync(stop)
  )
  // The recording knows files that are opened while it runs.
  const again = ({ node }: FileStream): FileStream => ({
    node,
    nfd: fs.openSync(host.realPath(node), "r+")
  })
  const told = () => recording.operations.map(({ path, type }) => `${type} ${path}`)
  const all = {
    aborts,
    base,
    data: again(data),
    emscriptenOpts,
    empty,
    files,
    folder,
    log: again(log)
  }
  return { ...all, onNode, onStream, open, told, wal }
})

const syncsLog = `sync pg_wal/${walName}`

describe("the parameters that PostgreSQL is started with", () => {
  it("ask for syncs, by the one method that reaches files", () => {
    assert.deepStrictEqual(durableStartParams(["--single", "-F", "-O"]), [
      "--single",
      "-O",
      "-c",
      "wal_sync_method=fsync"
    ])
  })
})

describe("the log", () => {
  it.effect("is synced once, before the answer leaves", () =>
    Effect.gen(function* () {
      const { files, log, onStream, told } = yield* opened
      onStream.write(log, bytes)
      onStream.fsync(log)
      onStream.fsync(log)
      assert.deepStrictEqual(told(), [`write pg_wal/${walName}`])
      yield* Effect.promise(() => files.syncToFs())
      assert.deepStrictEqual(told().slice(1), [syncsLog])
      yield* Effect.promise(() => files.syncToFs())
      assert.lengthOf(told(), 2)
    })
  )

  it.effect("is written on while a sync of it waits, and what was written is counted", () =>
    Effect.gen(function* () {
      const { files, log, onStream, told } = yield* opened
      onStream.fsync(log)
      onStream.write(log, bytes)
      onStream.write(log, bytes)
      assert.deepStrictEqual(told(), [`write pg_wal/${walName}`, `write pg_wal/${walName}`])
      assert.strictEqual(files.logBytes, 6)
    })
  )

  type World = Effect.Success<typeof opened>
  it.effect.each<[string, (world: World) => unknown]>([
    ["write base/1259", ({ data, onStream }) => onStream.write(data, bytes)],
    ["resize base/1259", ({ data, onStream }) => onStream.setattr(data, { size: 1 })],
    ["resize base/1259", ({ data, onNode }) => onNode.setattr(data.node, { size: 1 })],
    ["sync base/1259", ({ data, onStream }) => onStream.fsync(data)],
    ["rename base/1259", ({ base, data, onNode }) => onNode.rename(data.node, base, "1260")],
    ["remove base/1259", ({ base, onNode }) => onNode.unlink(base, "1259")],
    ["remove empty", ({ onNode }) => onNode.rmdir(root, "empty")]
  ])("is synced before anything else: %s", ([operation, carryOut]) =>
    Effect.gen(function* () {
      const world = yield* opened
      world.onStream.fsync(world.log)
      carryOut(world)
      assert.deepStrictEqual(world.told(), [syncsLog, operation])
    })
  )

  it.effect("is synced before it is closed, and before the next log file is", () =>
    Effect.gen(function* () {
      const { log, onStream, open, told, wal } = yield* opened
      const next = open(wal, "000000010000000000000002")
      onStream.fsync(log)
      onStream.fsync(next)
      assert.deepStrictEqual(told().slice(1), [syncsLog])
      onStream.close(log)
      assert.lengthOf(told(), 2, "nothing waits of the one that is closed")
      onStream.close(next)
      assert.deepStrictEqual(told().slice(2), ["sync pg_wal/000000010000000000000002"])
    })
  )

  it.effect("is what has the name of a log file in its folder; others are synced at once", () =>
    Effect.gen(function* () {
      const { base, files, onStream, open, told, wal } = yield* opened
      for (const other of [open(wal, "00000002.history"), open(base, walName)]) {
        onStream.write(other, bytes)
        onStream.fsync(other)
      }
      assert.includeMembers(told(), ["sync pg_wal/00000002.history", `sync base/${walName}`])
      assert.strictEqual(files.logBytes, 0)
    })
  )
})

describe("the folder of a file", () => {
  it.effect("is synced after the file that is new in it, and no more than once", () =>
    Effect.gen(function* () {
      const { base, data, onStream, open, told } = yield* opened
      const made = open(base, "1260")
      onStream.fsync(made)
      assert.deepStrictEqual(told(), ["make base/1260", "sync base/1260", "sync base"])
      onStream.fsync(made)
      onStream.fsync(data)
      assert.deepStrictEqual(told().slice(3), ["sync base/1260", "sync base/1259"])
    })
  )

  it.effect("is synced after a file that was moved in it", () =>
    Effect.gen(function* () {
      const { base, data, onNode, onStream, told } = yield* opened
      onNode.rename(data.node, base, "1260")
      onStream.fsync({ ...data, node: { name: "1260", parent: base } })
      assert.deepStrictEqual(told(), ["rename base/1259", "sync base/1260", "sync base"])
    })
  )

  it.effect("is not synced again where it was synced itself", () =>
    Effect.gen(function* () {
      const { base, data, folder, onStream, open, told } = yield* opened
      open(base, "1260")
      onStream.fsync({ node: base, nfd: fs.openSync(join(folder, "base"), "r") })
      onStream.fsync(data)
      assert.deepStrictEqual(told(), ["make base/1260", "sync base", "sync base/1259"])
    })
  )
})

describe("a database whose files fail", () => {
  it.effect("ends where the log or a file can't be synced", () =>
    Effect.gen(function* () {
      const { aborts, data, files, log, onStream } = yield* opened
      // The recording syncs nothing, so that it can't fail.
      const failing = (file: number) => {
        throw new Error(`no space for ${file === log.nfd ? "the log" : "a file"}`)
      }
      Object.assign(fs, { fdatasyncSync: failing, fsyncSync: failing })
      assert.throws(() => onStream.fsync(data), "ended")
      onStream.fsync(log)
      const answered = yield* Effect.exit(Effect.promise(() => files.syncToFs()))
      assert.strictEqual(answered._tag, "Failure")
      assert.deepStrictEqual(aborts, [
        "could not sync: no space for a file",
        "could not sync: no space for the log"
      ])
    })
  )

  it.effect("ends where PostgreSQL itself aborts", () =>
    Effect.gen(function* () {
      const { aborts, emscriptenOpts } = yield* opened
      const { onAbort } = emscriptenOpts as { onAbort: (reason: unknown) => void }
      assert.throws(() => onAbort("out of memory"), "ended")
      assert.deepStrictEqual(aborts, ["out of memory"])
    })
  )
})

describe("the modes of files", () => {
  it.effect("let nobody else in, whatever is asked for", () =>
    Effect.gen(function* () {
      if (process.platform === "win32") return
      const { base, data, folder, onNode, onStream } = yield* opened
      const modeOf = (name: string) => fs.statSync(join(folder, "base", name)).mode & 0o777
      onNode.mknod(base, "made", 0o666)
      assert.strictEqual(modeOf("made"), 0o600)
      onStream.setattr(data, { mode: 0o666 })
      assert.strictEqual(modeOf("1259"), 0o600)
      onNode.setattr(data.node, { mode: 0o777 })
      assert.strictEqual(modeOf("1259"), 0o700)
    })
  )
})

describe("a whole folder", () => {
  it.effect("is synced with all that is in it, however deep", () =>
    Effect.gen(function* () {
      const { folder, told } = yield* opened
      yield* Effect.promise(() => syncTree(folder))
      const all = fs.readdirSync(folder, { recursive: true }).map((path) => `sync ${String(path)}`)
      assert.deepStrictEqual(told().toSorted(), ["sync ", ...all].toSorted())
    })
  )
})
