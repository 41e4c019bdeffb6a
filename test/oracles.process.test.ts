/**
 * The runner of other software's cases takes any folder of its layout, and says by its exit code
 * what became of them.
 */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { kinds } from "../scripts/oracles/kinds.ts"
import { root } from "../scripts/tests/files.ts"
import { hasOracles } from "../scripts/tests/tiers.ts"

const golden = join(root, "test/golden")

const run = (folder: string, ...options: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "scripts/oracleTable.ts"), folder, ...options],
    { cwd: root, encoding: "utf8" }
  )
  return { status, output: `${stdout}${stderr}` }
}

interface Script {
  readonly id: string
  readonly expected: { readonly cash_final: number }
}

const scripts = (
  JSON.parse(readFileSync(join(golden, "orders/micro.json"), "utf8")) as {
    readonly cases: ReadonlyArray<Script>
  }
).cases.slice(0, 5)

/** Scripts under names of their own. */
const renamed = scripts.map((one, nth) => ({ ...one, id: `script ${nth}` }))

const rows = [100, 900] as const
const fourHoursMs = 4 * 3_600_000

/** Candles of four hours from rows of the sample, one after the other. */
const longerCandles = () => {
  const [, ...lines] = readFileSync(join(root, "samples/gbpusd_1h.csv"), "utf8").trim().split("\n")
  const longer = new Map<number, Array<ReadonlyArray<number>>>()
  for (const line of lines.slice(...rows)) {
    const candle = line.split(",").map(Number)
    const start = Math.floor(candle[0]! / fourHoursMs) * fourHoursMs
    longer.set(start, [...(longer.get(start) ?? []), candle])
  }
  return Array.from(longer, ([start, candles]) => [
    start,
    candles[0]![1],
    Math.max(...candles.map((candle) => candle[2]!)),
    Math.min(...candles.map((candle) => candle[3]!)),
    candles.at(-1)![4],
    candles.reduce((sum, candle) => sum + candle[5]!, 0),
    candles.length
  ])
}

const writeJson = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value))

/** A folder with two kinds, whose lists have names of their own, and one kind that nobody knows. */
const fill = (folder: string): void => {
  for (const name of ["data", "orders", "resample", "omens"]) mkdirSync(join(folder, name))
  writeJson(join(folder, "orders/some.json"), { cases: renamed })
  cpSync(join(root, "samples/gbpusd_1h.csv"), join(folder, "data/pounds.csv"))
  const longer = longerCandles()
  const header = "time,open,high,low,close,volume,bars"
  writeFileSync(join(folder, "resample/few.csv"), [header, ...longer].join("\n"))
  const pounds = { file: "data/pounds.csv", rows_used: rows }
  const one = { file: "resample/few.csv", data: pounds, rows: longer.length }
  writeJson(join(folder, "resample/list.json"), {
    cases: [
      { ...one, id: "later rows", timeframe: "4h" },
      { ...one, id: "by the moon", timeframe: "1moon" }
    ]
  })
}

describe("the runner of other software's cases", () => {
  let folder = ""

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "candlewick-oracles-test-"))
    fill(folder)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("ends with 0 where nothing failed, and names what it skipped", () => {
    const { output, status } = run(folder)
    assert.match(output, /^orders +5 +5 +0 +0 +0$/m)
    assert.match(output, /^resample +2 +1 +0 +0 +1$/m)
    assert.include(output, "resample: by the moon: the timeframe 1moon isn't known here")
    assert.include(output, "Skipped: backtests, of which the folder has no cases.")
    assert.include(output, "Skipped: omens, a kind that is not known here.")
    assert.strictEqual(status, 0, output)
  })

  it("ends with 1 where a number is another, and names the case", () => {
    const [first, ...others] = renamed
    const { expected } = first!
    const wrong = { ...first!, expected: { ...expected, cash_final: expected.cash_final + 1 } }
    writeJson(join(folder, "orders/some.json"), { cases: [...others, wrong] })
    const { output, status } = run(folder)
    writeJson(join(folder, "orders/some.json"), { cases: renamed })
    assert.match(output, /^orders +5 +4 +1 +0 +0$/m)
    assert.match(output, /^ {2}orders: script 0: .*cash.* \(orders\/some\.json\)$/m)
    assert.include(output, String(expected.cash_final + 1), "the value that was wanted")
    assert.strictEqual(status, 1, output)
  })

  it("takes other names and other counts of files and cases", () => {
    const other = join(folder, "..", `${basename(folder)}-renamed`)
    cpSync(folder, other, { recursive: true })
    renameSync(join(other, "orders/some.json"), join(other, "orders/zebra.json"))
    const lines = renamed
      .slice(0, 2)
      .map((one) => JSON.stringify({ ...one, id: `${one.id} again` }))
    writeFileSync(join(other, "orders/apes.jsonl"), `${lines.join("\n")}\n`)
    rmSync(join(other, "resample"), { recursive: true })
    const { output, status } = run(other)
    rmSync(other, { recursive: true, force: true })
    assert.match(output, /^orders +7 +7 +0 +0 +0$/m)
    assert.include(output, "Skipped: resample, of which the folder has no cases.")
    assert.strictEqual(status, 0, output)
  })

  it.runIf(hasOracles())(
    "reads a backtest from its folder, whatever the case calls itself",
    () => {
      const from = process.env["CANDLEWICK_ORACLES"]!
      const other = join(folder, "..", `${basename(folder)}-moved`)
      const [name = ""] = readdirSync(join(from, "backtests"))
      cpSync(join(from, "data"), join(other, "data"), { recursive: true })
      cpSync(join(from, "backtests", name), join(other, "backtests/moved"), { recursive: true })
      const { output, status } = run(other)
      rmSync(other, { recursive: true, force: true })
      assert.match(output, /^backtests +1 +1 +0 +0 +0$/m)
      assert.strictEqual(status, 0, output)
    },
    180_000
  )

  it("ends with 2 where a list is no JSON, and says which", () => {
    writeFileSync(join(folder, "orders/some.json"), "{")
    const { output, status } = run(folder)
    writeJson(join(folder, "orders/some.json"), { cases: renamed })
    assert.include(output, "orders/some.json isn't JSON.")
    assert.strictEqual(status, 2, output)
  })

  it("ends with 1 where the page has other totals", () => {
    const { output, status } = run(folder, "--check")
    assert.include(output, "docs/oracles.md has other totals than these:")
    assert.strictEqual(status, 1, output)
  })

  it("ends with 2 where a file that a list needs is missing, and says which", () => {
    const path = join(folder, "data/pounds.csv")
    rmSync(path)
    const { output, status } = run(folder)
    cpSync(join(root, "samples/gbpusd_1h.csv"), path)
    assert.include(output, "data/pounds.csv is missing, which resample/list.json needs.")
    assert.strictEqual(status, 2, output)
  })

  it("ends with 2 where the folder is not there, or has no lists", () => {
    const nowhere = run(join(folder, "nowhere"))
    assert.include(nowhere.output, "nowhere is no folder.")
    const data = run(join(folder, "data"))
    assert.include(data.output, "has no list of cases")
    assert.deepStrictEqual([nowhere.status, data.status], [2, 2])
  })
})

describe("the page of other software's results", () => {
  it.runIf(hasOracles())(
    "has the totals of the folder that CANDLEWICK_ORACLES names",
    () => {
      const { output, status } = run(process.env["CANDLEWICK_ORACLES"]!, "--check")
      assert.strictEqual(status, 0, output)
    },
    900_000
  )

  it("counts the metrics as the vendored lists do", () => {
    const kind = kinds.find(({ name }) => name === "metrics")!
    const { length } = kind.casesOf(golden)
    const page = readFileSync(join(root, "docs/oracles.md"), "utf8").replaceAll(/ *\| */g, "|")
    assert.isAbove(length, 0)
    assert.include(page, `|${kind.title}|${kind.source}|${length}|${length}|`)
  })
})
