/**
 * The command line against a real server, and on a data directory without one.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiKey, freePort, startServer, stopServer } from "../../../scripts/examples.ts"
import { type Ended, makeFolder, run, runOnTerminal, sample } from "./commandLine.ts"

const parsed = ({ code, stderr, stdout }: Ended): any => {
  assert.notStrictEqual(stdout, "", `it ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

const dayMs = 86_400_000

describe("on a server", () => {
  const cwd = makeFolder()
  let server: ChildProcess
  let environment: Readonly<Record<string, string>> = {}
  const on = (...args: ReadonlyArray<string>) => run(args, { cwd, environment })

  beforeAll(async () => {
    const port = await freePort()
    server = await startServer(port)
    environment = { CANDLEWICK_URL: `http://127.0.0.1:${port}`, CANDLEWICK_KEY: apiKey }
  })
  afterAll(() => stopServer(server))

  it("keeps a strategy, runs it as a bot, and follows its log until Ctrl-C", async () => {
    await on("strategy", "new", "mine.json")
    const { id } = parsed(await on("strategy", "add", "mine.json", "--json"))
    assert.match(id, /^str_/)
    const create = ["bots", "create", "--name", "one", "--strategy", id, "--capital", "1000"]
    const made = await on(...create, "--start", "--json")
    const bot: string = parsed(made).id
    // A server runs bots, so that nothing is said of who does.
    assert.strictEqual(made.stderr, "")
    const followed = await run(["bots", "logs", bot, "-f", "--json"], {
      cwd,
      environment,
      until: /trade\.executed/
    })
    const lines = followed.stdout.trim().split("\n")
    assert.deepStrictEqual(
      lines.map((line) => JSON.parse(line).seq),
      lines.map((_, at) => JSON.parse(lines[0]!).seq + at)
    )
    const listed = parsed(await on("bots", "list", "--status", "running", "--json"))
    assert.deepStrictEqual(
      listed.data.map((one: { readonly id: string }) => one.id),
      [bot]
    )
    const stopped = parsed(await on("bots", "stop", bot, "--close", "--json"))
    assert.strictEqual(stopped.desired_status, "stopped")
  })

  it("shows how a file of candles is read, keeps it, and says what was there already", async () => {
    const rows = ["01/03/2024", "01/02/2024", "01/02/2024"].map((day) => `${day},1,2,0.5,1.5,10`)
    const text = `Date,Open,High,Low,Close,Volume\n${rows.join("\n")}\n01/01/2024,,,,,\n`
    writeFileSync(join(cwd, "days.csv"), text)
    const asked = ["days.csv", "--symbol", "DAYS/USD", "--date-order", "month_first"]
    const shown = (await on("candles", "preview", ...asked)).stdout
    for (const line of [
      /^columns +time is Date, open is Open, /m,
      /^times +the month first, by the clock of UTC$/m,
      /^timeframe +1d, by the steps$/m,
      /^rows +the newest first$/m,
      /^empty rows +1$/m,
      /^added +2$/m,
      /^duplicates +1$/m
    ]) {
      assert.match(shown, line)
    }
    const refused = await on("candles", "check", "DAYS/USD", "1d")
    assert.notStrictEqual(refused.code, 0)
    await on("candles", "import", ...asked)
    assert.match((await on("candles", "import", ...asked)).stdout, /^same +2$/m)
    writeFileSync(join(cwd, "days.csv"), text.replace("1.5,10", "1.6,10"))
    const differing = (await on("candles", "preview", ...asked)).stdout
    assert.match(differing, /^An import would be refused:$/m)
    assert.match(differing, /^refused: .*--on-conflict replace/m)
  })

  it("halts and resumes the account", async () => {
    const halted = parsed(await on("halt", "--reason", "a test", "--json"))
    assert.deepStrictEqual([halted.is_halted, halted.halted_reason], [true, "a test"])
    assert.isFalse(parsed(await on("resume", "--json")).is_halted)
  })

  it("cancels a run on Ctrl-C, and says so", async () => {
    const search = ["generate", "--timeframe", "1h", "--symbols", "GBP/USD"]
    const findStarted = async (): Promise<string> => {
      for (;;) {
        const { data } = parsed(await on("strategy", "list", "--json"))
        const found = data.find(({ status }: { status: string }) => status === "generating")
        if (found !== undefined) return found.id
      }
    }
    const started = findStarted()
    const ended = await run([...search, "--max-candidates", "10000"], {
      cwd,
      environment,
      until: started
    })
    const id = await started
    assert.strictEqual(ended.code, 1)
    assert.include(ended.stderr, `The generation ${id} was cancelled.`)
    assert.strictEqual(parsed(await on("strategy", "describe", id, "--json")).status, "cancelled")
  })

  it.skipIf(process.platform !== "linux")(
    "draws how far a run is on a terminal, and takes the line away",
    async () => {
      const drawn = await runOnTerminal(
        ["generate", "--timeframe", "1h", "--symbols", "GBP/USD", "--max-candidates", "400"],
        { cwd, environment }
      )
      assert.include(drawn, "generation  [")
      assert.match(drawn, /\[#*\.*\] \d+ % {2}\w+/)
      const last = drawn.lastIndexOf("generation  [")
      assert.include(drawn.slice(last), "\r\u001B[K")
      // A pipe gets no line at all.
      const piped = await on("generate", "--timeframe", "1h", "--max-candidates", "4")
      assert.strictEqual(piped.code, 0, piped.stderr)
      assert.notInclude(piped.stderr, "generation  [")
    }
  )

  it("tells a refusal with every fault, and never the key", async () => {
    const refused = await on("bots", "start", "bot_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, "not_found")
    assert.strictEqual(refused.stdout, "")
    const wrong = await run(["bots", "list", "--json"], {
      cwd,
      environment: { ...environment, CANDLEWICK_KEY: "a-key-that-nobody-has-0123456789abcdef" }
    })
    assert.strictEqual(wrong.code, 1)
    assert.strictEqual(JSON.parse(wrong.stderr).problem.code, "unauthenticated")
    assert.notInclude(wrong.stderr + wrong.stdout, "nobody-has")
  })

  it("refuses to open accounts over HTTP", async () => {
    const { code, stderr } = await on("accounts", "create", "--name", "x")
    assert.strictEqual(code, 2)
    assert.include(stderr, "never over HTTP")
  })
})

describe("on a data directory", () => {
  const cwd = makeFolder()
  const on = (...args: ReadonlyArray<string>) => run(args, { cwd })

  // Tests come in any order.
  beforeAll(() => on("strategy", "new", "mine.json"))

  it("works with files in memory, and keeps nothing", async () => {
    const results = parsed(await on("backtest", "mine.json", "--candles", sample, "--json"))
    assert.strictEqual(results.status, "completed")
    assert.isAbove(results.position_count, 5)
    assert.deepStrictEqual(parsed(await on("candles", "list", "--json")).data.length, 3)
  })

  /** Writes candles of so many steps from a day on, and gives the file's name. */
  const writeCandles = (name: string, from: number, stepMs: number, count: number): string => {
    const rows = Array.from({ length: count }, (_, index) => {
      const price = 100 + 10 * Math.sin((index * stepMs) / (9 * dayMs))
      return `${new Date(from + index * stepMs).toISOString()},${price},${price + 1},${price - 1},${price},1`
    })
    writeFileSync(join(cwd, name), ["time,open,high,low,close,volume", ...rows].join("\n"))
    return name
  }
  const ownRuns = [
    ["backtest", "mine.json"],
    ["optimize", "mine.json", "--trials", "5"],
    ["analyze", "lookahead", "mine.json"],
    ["analyze", "warmup", "mine.json"]
  ]

  it("runs on the candles of a file alone, also where samples have the same market", async () => {
    // The first lies among the days of the sample, the second after them, the third is finer.
    for (const [name, from, stepMs, count] of [
      ["among.csv", Date.UTC(2020, 5, 1), dayMs, 300],
      ["after.csv", Date.UTC(2022, 0, 1), dayMs, 300],
      ["hours.csv", Date.UTC(2020, 5, 1), dayMs / 24, 24 * 120]
    ] as const) {
      const days = (count * stepMs) / dayMs
      const first = new Date(from).toISOString()
      const last = new Date(from + (days - 1) * dayMs).toISOString()
      const given = ["--candles", writeCandles(name, from, stepMs, count)]
      // All commands read a file alike.
      const isFirst = name === "among.csv"
      for (const verb of isFirst ? ["backtest", "optimize"] : ["backtest"]) {
        const trials = verb === "optimize" ? ["--trials", "5"] : []
        const results = parsed(await on(verb, "mine.json", ...given, ...trials, "--json"))
        assert.strictEqual(results.data_quality.length, 1)
        assert.deepInclude(
          results.data_quality[0],
          { symbol: "BTC/USD", candle_count: days, first_at: first, last_at: last },
          `${verb} ${name}`
        )
      }
      const line = `BTC/USD 1d, ${days} from ${first.slice(0, 10)} to ${last.slice(0, 10)}`
      for (const what of isFirst ? ["lookahead", "warmup"] : []) {
        assert.include((await on("analyze", what, "mine.json", ...given)).stdout, line, name)
      }
    }
  })

  it("takes no sample beside a file of candles, for whatever market a run names", async () => {
    const given = ["--candles", writeCandles("one.csv", Date.UTC(2020, 5, 1), dayMs, 300)]
    for (const [verb = "", ...more] of [["backtest"], ["optimize", "--trials", "5"]]) {
      const other = await on(verb, "mine.json", ...given, ...more, "--symbols", "SPY/USD")
      assert.deepStrictEqual([other.code, other.stdout], [1, ""])
      assert.include(other.stderr, "no candles of SPY/USD 1d")
    }
  })

  it("names both timeframes where a file's candles are too long for a run", async () => {
    const weeks = writeCandles("weeks.csv", Date.UTC(2020, 0, 6), 7 * dayMs, 100)
    for (const line of ownRuns) {
      const refused = await on(...line, "--candles", weeks)
      assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
      assert.include(
        refused.stderr,
        "weeks.csv has candles of 1w: candles of 1d can't be built of these."
      )
    }
  })

  it("reads a file of candles for a run by the options of an import, and names its flags", async () => {
    const rows = Array.from({ length: 300 }, (_, index) => {
      const price = 100 + 10 * Math.sin(index / 9)
      const day = new Date(Date.UTC(2020, 5, 1) + index * dayMs).toISOString().slice(0, 10)
      return `${day},${price},${price + 1},${price - 1},${price},1`
    })
    writeFileSync(join(cwd, "odd.csv"), ["when,a,b,c,d,e", ...rows].join("\n"))
    const given = ["--candles", "odd.csv"]
    const columns = "time:when,open:a,high:b,low:c,close:d"
    for (const line of [...ownRuns, ["report", "mine.json", "-o", "odd.html"]]) {
      const refused = await on(...line, ...given)
      assert.strictEqual(refused.code, 1, refused.stderr)
      assert.include(refused.stderr, "Name such columns with --columns time:…")
      const ran = await on(...line, ...given, "--columns", columns)
      assert.strictEqual(ran.code, 0, ran.stderr)
    }
    const alone = await on("backtest", "mine.json", "--columns", columns)
    assert.strictEqual(alone.code, 2, alone.stderr)
    assert.include(alone.stderr, "--columns goes with --candles")
    const run = ["backtest", "mine.json", ...given, "--columns"]
    for (const [more, message] of [
      [["time:when,open:a,open:b"], "each field once"],
      [["time:e,open:a,high:b,low:c,close:d"], "--candles-timeframe … say how its times"],
      [[columns, "--zone", "Mars"], "--zone: The time zone"]
    ] as const) {
      const refused = await on(...run, ...more)
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.stderr, message)
    }
    const zoned = await on(
      ...run,
      columns,
      "--zone",
      "+02:00",
      "--candles-timeframe",
      "1d",
      "--json"
    )
    assert.strictEqual(parsed(zoned).data_quality[0].first_at, "2020-06-01T00:00:00.000Z")
    const imported = await on("candles", "import", "odd.csv", "--symbol", "ODD/USD")
    assert.include(imported.stderr, "Name such columns with --columns time:…")
  })

  it("reads paths from where npm was called for it", async () => {
    const elsewhere = makeFolder()
    const called = { npm_lifecycle_event: "candlewick", INIT_CWD: cwd }
    const from = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
      run(args, { cwd: elsewhere, environment })
    const described = await from(called, "strategy", "describe", "mine.json")
    assert.strictEqual(described.code, 0, described.stderr)
    await from(called, "strategy", "new", "there.json")
    assert.isTrue(existsSync(join(cwd, "there.json")))
    // Another script hands the variable on to programs that it starts elsewhere.
    const other = await from(
      { ...called, npm_lifecycle_event: "test" },
      "strategy",
      "check",
      "mine.json"
    )
    assert.strictEqual(other.code, 2, other.stderr)
  })

  it("refuses a server, a directory or a kept strategy beside a file of candles", async () => {
    const given = ["--candles", writeCandles("own.csv", Date.UTC(2020, 5, 1), dayMs, 300)]
    const places = [
      ["--url", "http://127.0.0.1:9", "--key", "k".repeat(32)],
      ["--data", "elsewhere"]
    ]
    for (const [index, line] of [...ownRuns, ["report", "mine.json"]].entries()) {
      const elsewhere = await on(...line, ...given, ...places[index % 2]!)
      assert.strictEqual(elsewhere.code, 2, elsewhere.stderr)
      assert.include(elsewhere.stderr, "leave --url and --data out, or import the file there first")
      const kept = line.map((word) =>
        word === "mine.json" ? "str_01ARZ3NDEKTSV4RRFFQ69G5FAV" : word
      )
      const refused = await on(...kept, ...given)
      assert.strictEqual(refused.code, 2, refused.stderr)
      assert.include(refused.stderr, "--candles goes with a strategy's file")
    }
    assert.isFalse(existsSync(join(cwd, "elsewhere")))
    // A server that the environment alone names stands back, as it does for --data.
    const environment = { CANDLEWICK_URL: "http://127.0.0.1:9", CANDLEWICK_KEY: "k".repeat(32) }
    const ran = await run(["backtest", "mine.json", ...given, "--json"], { cwd, environment })
    assert.strictEqual(parsed(ran).data_quality[0].candle_count, 300)
  })

  it("searches with constraints and walking forward, and tells what the best is worth", async () => {
    const search = ["optimize", "mine.json", "--candles", sample, "--trials", "10", "--seed", "1"]
    const rules = ["--constraint", "fast < slow", "--constraint", "slow <= 80"]
    const walking = ["--walk-forward", "anchored", "--windows", "2", "--train-rate", "0.6"]
    const results = parsed(await on(...search, ...rules, ...walking, "--json"))
    assert.deepStrictEqual(results.config.constraints, ["fast < slow", "slow <= 80"])
    assert.deepStrictEqual(results.config.walk_forward, {
      mode: "anchored",
      windows: 2,
      train_rate: 0.6
    })
    assert.strictEqual(results.walk_forward.windows.length, 2)
    for (const { parameters } of results.trials) {
      assert.isBelow(parameters.fast, parameters.slow)
      assert.isAtMost(parameters.slow, 80)
    }
    const halfAsked = await on(...search, "--windows", "2")
    assert.strictEqual(halfAsked.code, 2)
    assert.include(halfAsked.stderr, "walk_forward/mode")
    const unknown = await on(...search, "--constraint", "fats < slow")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "fats")
  })

  it("finds look-ahead in a module of code, and none in rules", async () => {
    const research = new URL("../../engine/src/research/index.ts", import.meta.url).href
    writeFileSync(
      join(cwd, "peeking.ts"),
      `import { define } from "${research}"
       export default define({
         name: "peeking", symbols: ["BTC/USD"], timeframe: "1d",
         indicators: ({ close }) => ({ later: close.map((value, at) => close[at + 3] ?? value) }),
         onCandle: ({ candle, value }) => ({
           enterLong: value("later") > candle().close,
           exitLong: value("later") < candle().close
         })
       })`
    )
    const analyze = (what: string, strategy: string) =>
      on("analyze", what, strategy, "--candles", sample, "--json")
    const found = await analyze("lookahead", "peeking.ts")
    assert.strictEqual(found.code, 1, found.stderr)
    const named = parsed(found).look_ahead.map((one: { readonly indicator: string }) => one)
    assert.include(
      named.map((one: { readonly indicator: string }) => one.indicator),
      "later"
    )
    const none = await analyze("lookahead", "mine.json")
    assert.strictEqual(none.code, 0, none.stderr)
    assert.deepInclude(parsed(none), { cut_count: 12, look_ahead: [] })
    assert.isAbove(parsed(none).fill_count, 5)
    const warmed = parsed(await analyze("warmup", "mine.json"))
    assert.deepInclude(warmed, { warmup_candles: 40, history_candles: 623 })
    writeFileSync(join(cwd, "empty.ts"), "export default 1")
    const empty = await analyze("lookahead", "empty.ts")
    assert.strictEqual(empty.code, 1)
    assert.include(empty.stderr, "exports no strategy")
  })

  it("speaks the Model Context Protocol until its client is done", async () => {
    const opening = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "agent", version: "1" }
    }
    const call = { name: "list_candles", arguments: {} }
    const ended = await run(["mcp", "--data", ":memory:"], {
      cwd,
      input: [
        { jsonrpc: "2.0", id: 1, method: "initialize", params: opening },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: call }
      ].map((message) => JSON.stringify(message)),
      untilAnswered: /"id":2/
    })
    assert.strictEqual(ended.code, 0, ended.stderr)
    // Nothing but the protocol goes to standard output.
    const answers = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const { result } = answers.find(({ id }) => id === 2)
    assert.strictEqual(result.structuredContent.data.length, 3)
  })

  it("makes accounts and recovers a key, both of which a server takes", async () => {
    const made = parsed(await on("accounts", "create", "--name", "second", "--json"))
    const recovered = parsed(await on("keys", "recover", "--json"))
    const port = await freePort()
    const server = await startServer(port, { CANDLEWICK_DATA_DIR: join(cwd, "data") })
    try {
      for (const [key, id] of [
        [made.secret, made.account.id],
        [recovered.secret, "acc_00000000000000000000000000"]
      ]) {
        const environment = { CANDLEWICK_URL: `http://127.0.0.1:${port}`, CANDLEWICK_KEY: key }
        const looked = await run(["doctor", "--json"], { cwd, environment })
        assert.include(parsed(looked).findings.at(-1).detail, id)
      }
      // The server has the directory: nothing else opens it, and the reason is said.
      const busy = await on("candles", "list")
      assert.strictEqual(busy.code, 3)
      assert.include(busy.stderr, "is in use by process")
    } finally {
      await stopServer(server)
    }
  })

  it("writes a bot's command down for the server that runs it", async () => {
    const { id } = parsed(await on("strategy", "add", "mine.json", "--json"))
    const bot = ["bots", "create", "--name", "one", "--strategy", id, "--capital", "1000"]
    const made = await on(...bot, "--start", "--json")
    assert.strictEqual(parsed(made).desired_status, "running")
    assert.include(made.stderr, "This process runs no bots")
  })

  it("ends with 2 where it is used wrongly, and with 3 where nobody answers", async () => {
    const unknown = await on("bakctest")
    assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
    assert.include(unknown.stderr, "backtest")
    const unreadable = await on("backtest", "nothing.json")
    assert.strictEqual(unreadable.code, 2)
    const url = "http://127.0.0.1:1"
    const nobody = await on("bots", "list", "--url", url, "--key", "k".repeat(32))
    assert.strictEqual(nobody.code, 3)
    assert.include(nobody.stderr, url)
  })

  it("has doctor name what is wrong with the environment", async () => {
    const environment = { CANDLEWICK_REPLAY_RAET: "3", PORT: "none" }
    const { code, stdout } = await run(["doctor", "--json"], { cwd, environment })
    assert.strictEqual(code, 1)
    const { findings } = JSON.parse(stdout) as {
      readonly findings: ReadonlyArray<{ readonly is_ok: boolean; readonly detail: string }>
    }
    const faults = findings.filter((one) => !one.is_ok).map(({ detail }) => detail)
    assert.lengthOf(faults, 2)
    assert.include(faults[0], "the nearest one is CANDLEWICK_REPLAY_RATE")
    assert.include(faults[1], "PORT must be")
  })

  it("tells every fault of a strategy, with its place", async () => {
    writeFileSync(join(cwd, "bad.json"), JSON.stringify({ format: 1, symbols: ["BTC/USD"] }))
    const { code, stderr } = await on("strategy", "check", "bad.json")
    assert.strictEqual(code, 1)
    assert.include(stderr, "/timeframe")
  })

  for (const shell of ["bash", "zsh", "fish"]) {
    it(`completes in ${shell}`, async () => {
      const { code, stdout } = await on("--completions", shell)
      assert.strictEqual(code, 0)
      assert.include(stdout, "backtest")
    })
  }
})
