/**
 * A copy of a data directory touches nothing that it has not made.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { copyDirectory } from "../../src/internal/copyDirectory.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const folder = Effect.map(temporaryDirectory, (path) => {
  const data = join(path, "data")
  mkdirSync(join(data, "pg"), { recursive: true })
  writeFileSync(join(data, "pg", "PG_VERSION"), "17\n")
  writeFileSync(join(data, "lock"), "")
  return { path, data, copy: join(path, "copy") }
})

const readVersion = (directory: string) => readFileSync(join(directory, "pg", "PG_VERSION"), "utf8")

describe("copyDirectory", () => {
  it.live("leaves what stands beside the copy as it is, whatever its name", () =>
    Effect.gen(function* () {
      const { copy, data, path } = yield* folder
      const beside = ["copy.unfinished", "copy.unfinished-abc123", "copy.unfinished-"]
      for (const name of beside) {
        mkdirSync(join(path, name))
        writeFileSync(join(path, name, "mine.txt"), "my notes")
      }
      yield* Effect.promise(() => copyDirectory(data, copy))
      assert.strictEqual(readVersion(copy), "17\n")
      assert.deepStrictEqual(readdirSync(copy), ["pg"])
      assert.deepStrictEqual(readdirSync(path).toSorted(), ["copy", ...beside, "data"].toSorted())
      for (const name of beside) assert.isTrue(existsSync(join(path, name, "mine.txt")), name)
    }).pipe(Effect.scoped)
  )

  it.live("clears away what a copy of the same directory left when it was cut off", () =>
    Effect.gen(function* () {
      const { copy, data, path } = yield* folder
      // Cut off: the mark that it sets stays.
      let mark = ""
      const cutOff = join(path, "copy.unfinished-cutOff")
      const others = join(path, "copy.unfinished-others")
      const watched = copyDirectory(data, copy)
      for (const name of readdirSync(path)) {
        if (!name.startsWith("copy.unfinished-")) continue
        mark = readFileSync(join(path, name, "candlewick-back-up"), "utf8")
      }
      yield* Effect.promise(() => watched)
      assert.include(mark, data)
      for (const [left, text] of [
        [cutOff, mark],
        [others, `1 1 ${data}\n`]
      ] as const) {
        mkdirSync(left)
        writeFileSync(join(left, "candlewick-back-up"), text)
      }
      yield* Effect.flip(Effect.tryPromise(() => copyDirectory(data, copy)))
      assert.isTrue(existsSync(cutOff), "a copy that was refused looks at nothing")
      const next = join(path, "next")
      yield* Effect.promise(() => copyDirectory(data, next))
      assert.isTrue(existsSync(cutOff), "it is another copy's")
      rmSync(copy, { recursive: true })
      yield* Effect.promise(() => copyDirectory(data, copy))
      assert.isFalse(existsSync(cutOff))
      assert.isTrue(existsSync(others), "it may be at work")
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing where it fails", () =>
    Effect.gen(function* () {
      const { copy, data, path } = yield* folder
      const missing = join(path, "missing")
      yield* Effect.flip(Effect.tryPromise(() => copyDirectory(missing, copy)))
      yield* Effect.flip(Effect.tryPromise(() => copyDirectory(data, join(data, "inside"))))
      assert.deepStrictEqual(readdirSync(path), ["data"])
    }).pipe(Effect.scoped)
  )
})
