/**
 * The dashboard's files as a browser and as others get them.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { startServer } from "../server.ts"

const page = `<!doctype html><title>A dashboard</title><script src="assets/main-1.js"></script>`
const script = "console.log(1)\n".repeat(50)
const browser = { authorization: undefined, accept: "text/html,*/*;q=0.8" }

const builtFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "dashboard-"))
    const assets = join(folder, "assets")
    await mkdir(assets)
    await writeFile(join(folder, "index.html"), page)
    await writeFile(join(assets, "main-1.js"), script)
    await writeFile(join(assets, "main-1.js.gz"), gzipSync(script))
    await writeFile(join(assets, "plain-1.css"), "a{}")
    await writeFile(join(folder, ".stamp"), "secret")
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true }))
)

it.live("gives a browser the page under a strict policy, and others the documents", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ dashboard: yield* builtFolder })
    const shown = yield* call("GET", "/", undefined, browser)
    assert.deepStrictEqual([shown.status, shown.text], [200, page])
    assert.strictEqual(shown.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(shown.headers.get("vary"), "accept")
    assert.strictEqual(shown.headers.get("cache-control"), "no-store")
    const policy = shown.headers.get("content-security-policy")!
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.notMatch(policy, /unsafe|https?:/)
    const other = yield* call("GET", "/", undefined, { authorization: undefined, accept: "*/*" })
    assert.match(other.text, /<title>Candlewick<\/title>/)
    const head = yield* call("HEAD", "/", undefined, browser)
    assert.deepStrictEqual([head.status, head.text], [200, ""])
    const posted = yield* call("POST", "/", {}, browser)
    assert.deepStrictEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"])
  })
)

it.live("leads to its files also where a prefix is asked for without a slash", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ dashboard: yield* builtFolder, basePath: "/desk" })
    for (const path of ["/desk", "/desk/"]) {
      const shown = yield* call("GET", path, undefined, browser)
      assert.include(shown.text, `<script src="/desk/assets/main-1.js">`)
    }
    assert.strictEqual((yield* call("GET", "/desk/assets/main-1.js")).text, script)
  })
)

it.live("gives assets packed where that is taken, to be kept for ever", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ dashboard: yield* builtFolder })
    const ask = (name: string, encoding: string) =>
      call("GET", `/assets/${name}`, undefined, { ...browser, "accept-encoding": encoding })
    for (const [encoding, isPacked] of [
      ["gzip, br", true],
      ["identity", false],
      ["gzip;q=0, identity", false]
    ] as const) {
      const asset = yield* ask("main-1.js", encoding)
      assert.deepStrictEqual([asset.status, asset.text], [200, script])
      assert.strictEqual(asset.headers.get("content-type"), "text/javascript; charset=utf-8")
      assert.strictEqual(asset.headers.get("content-encoding"), isPacked ? "gzip" : null)
      assert.strictEqual(asset.headers.get("vary"), "accept-encoding")
      assert.match(asset.headers.get("cache-control")!, /immutable/)
      assert.strictEqual(asset.headers.get("x-content-type-options"), "nosniff")
    }
    const plain = yield* ask("plain-1.css", "gzip")
    assert.deepStrictEqual([plain.text, plain.headers.get("content-encoding")], ["a{}", null])
  })
)

it.live("has no other file, whatever the path says", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ dashboard: yield* builtFolder })
    const names = [
      "nothing.js",
      "main-1.js.gz",
      "..%2f.stamp",
      "..%2findex.html",
      "%2e%2e%2f.stamp"
    ]
    for (const name of [...names, "%zz", "%ff"]) {
      const answer = yield* call("GET", `/assets/${name}`, undefined, browser)
      assert.isAtLeast(answer.status, 400, name)
      assert.isBelow(answer.status, 500, name)
      assert.notInclude(answer.text, "secret")
      assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/, name)
    }
    const posted = yield* call("POST", "/assets/main-1.js", {}, browser)
    assert.strictEqual(posted.status, 405)
  })
)
