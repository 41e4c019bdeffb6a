/**
 * One process at a time uses a data directory: tried with real processes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { lockDirectory } from "../../src/internal/DirectoryLock.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const script = fileURLToPath(new URL("lockHolder.ts", import.meta.url))

interface Holder {
  readonly child: ChildProcess
  /** "held", or "refused" and why. */
  readonly line: string
}

const startHolder = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Holder> => {
      const child = spawn(process.execPath, ["--expose-gc", script, directory], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = (await once(createInterface(child.stdout), "line")) as [string]
      return { child, line }
    }),
    ({ child }) => kill(child)
  )

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  })

const attempt = (directory: string) => Effect.scoped(lockDirectory(directory))

describe("the lock of a data directory", () => {
  it.live("refuses a second process and names the first", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { child, line } = yield* startHolder(directory)
      assert.strictEqual(line, "held")
      const { message } = yield* Effect.flip(attempt(directory))
      assert.include(message, `${directory} is in use by process ${child.pid} on ${hostname()}`)
      assert.match(message, /started at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a second store of the same process, and is free once the first has ended", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* lockDirectory(directory)
          const { message } = yield* Effect.flip(attempt(directory))
          assert.include(message, `in use by process ${process.pid}`)
          // That it was refused did not loosen it.
          const { line } = yield* startHolder(directory)
          assert.match(line, /^refused .* is in use by process/)
        })
      )
      yield* attempt(directory)
    }).pipe(Effect.scoped)
  )

  it.live("is free at once after its process was killed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { child } = yield* startHolder(directory)
      yield* kill(child)
      yield* attempt(directory)
    }).pipe(Effect.scoped)
  )

  it.live("is not held by what an ended process left behind, whoever has its number now", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* attempt(directory)
      const left = { pid: process.ppid, host: hostname(), started_at: "2020-01-01T00:00:00.000Z" }
      writeFileSync(join(directory, "holder.json"), JSON.stringify(left))
      yield* attempt(directory)
    }).pipe(Effect.scoped)
  )

  it.live("goes to one of many that come at once after a crash", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { child } = yield* startHolder(directory)
      yield* kill(child)
      const all = yield* Effect.all(
        Array.from({ length: 6 }, () => startHolder(directory)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(all.filter(({ line }) => line === "held").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("says why a directory can't be used", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = join(directory, "file")
      writeFileSync(file, "")
      const link = join(directory, "link")
      symlinkSync(join(directory, "nowhere"), link)
      for (const [path, reason] of [
        [file, "it is a file and no directory"],
        [join(file, "below", "it"), "ENOTDIR"],
        [link, "EEXIST"]
      ] as const) {
        const { message } = yield* Effect.flip(attempt(path))
        assert.include(message, `the data directory ${path} can't be used: ${reason}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("leaves no draft behind where it can't say who holds it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      mkdirSync(join(directory, "holder.json"))
      const { message } = yield* Effect.flip(attempt(directory))
      assert.include(message, "EISDIR")
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["holder.json", "lock"])
    }).pipe(Effect.scoped)
  )

  // In a process of its own: what never ends would hold this one up.
  it.live.skipIf(process.platform !== "linux")("ends where no directory can be made", () =>
    Effect.gen(function* () {
      const { line } = yield* startHolder("/proc/nope/data")
      assert.match(line, /^refused the data directory \/proc\/nope\/data can't be used: ENOENT/)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.getuid?.() === 0)(
    "says that it may not write where it may only read",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const readOnly = join(directory, "readOnly")
        mkdirSync(readOnly, { mode: 0o500 })
        for (const path of [readOnly, join(readOnly, "data")]) {
          const { message } = yield* Effect.flip(attempt(path))
          assert.include(message, `the data directory ${path} can't be used: EACCES`)
        }
      }).pipe(Effect.scoped)
  )
})
