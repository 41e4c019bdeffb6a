/**
 * Says what each script of package.json does. JavaScript, because it answers before anything is
 * installed.
 *
 *   npm run help
 */
import { fileURLToPath } from "node:url"

/**
 * A line for each script, by what somebody wants to do.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
export const groups = {
  "Use it": {
    start: "the server, on embedded defaults; installs only what that runs on",
    candlewick: "the command line: -- backtest strategy.json, -- --help",
    backup: "copies the embedded store while the server runs: -- <directory>",
    quickstart: "an example: a client of a server that runs (BASE_URL, API_KEY)",
    embed: "an example: the library inside a program, with promises",
    research: "an example: strategies and backtests on arrays",
    live: "an example: a live bot at a venue of one's own, and what it does",
    venue: "an example: a venue of one's own, and what it answers",
    receiver: "an example: a receiver of webhooks (SECRET)",
    help: "this list"
  },
  "Change it": {
    quick: "checks and tests of what changed, and a few laws: a minute",
    test: "checks, unit tests, and the short form of all others",
    "test:all": "what test leaves out: PostgreSQL, draws, processes, oracles, slow checks",
    "test:night": "laws on every database, of draws that are the commit's own",
    "test:crash": "kills servers at random and looks at what they leave: -- --kills 300",
    simulate: "bots and exchange accounts in simulated disasters: -- --count 1000",
    "power-cuts": "cuts the power of the embedded database's disk: -- [cuts] [seed]",
    mutants: "scores tests by small changes: [-- <file> [test …]]",
    check: "types, lint, format, dead code, generated files and kernels",
    types: "checks types",
    lint: "checks rules, the laws of dependence among them",
    format: "rewrites files in the one format",
    "format:check": "says which files are in another format",
    dead: "says which code, files and dependencies nobody uses",
    examples: "runs the examples and compares what they print: -- [name …]",
    doctest: "checks and runs the code of the documentation: -- [page …]"
  },
  "Derive from it": {
    generate: "rewrites what is derived from code: pages, lists, docs/openapi.json",
    "generate:check": "says what of it is stale",
    "build:kernels": "builds WebAssembly from the engine's kernels",
    "kernels:check": "says whether it is what the sources say",
    oracles: "holds the engine to other software's results: -- FOLDER [--write]",
    build: "compiles the packages into dist"
  },
  "Measure it": {
    bench: "the engine beside other software: -- [--quick] [--row 3] [--write]",
    "bench:api": "requests that the API answers",
    "bench:many-servers": "many bots on three servers of one PostgreSQL, killed and replaced",
    "bench:bots": "bots of one market on the embedded store",
    "bench:candles": "import and load of candles",
    "bench:delivery-store": "what a delivery costs its store",
    "bench:effect-parts": "parts of Effect beside those of this repository",
    "bench:event-loop": "how long the server answers late while it searches",
    "bench:fair-shares": "webhooks while bots replay on the embedded store",
    "bench:generation": "whether a generation finds the edge that is there",
    "bench:loops": "the engine beside loops for one strategy: -- [--only dca] [--strict]",
    "bench:dashboard": "how long the dashboard takes to paint and to change pages with many bots",
    "bench:overview": "how long an account with many bots waits for its overview",
    "bench:webhooks": "deliveries to a receiver: -- memory, pglite or postgres"
  },
  "Release it": {
    "image:check": "the steps of the Dockerfile, in a temporary folder without Docker",
    "release:check": "releases to a registry on loopback, and uses the packages from there",
    "release:version": "new versions and change logs, from .changeset/",
    release: "publishes every version that the registry does not have"
  },
  "Called by others": {
    setup: "installs everything that tests and checks need",
    "setup:server": "installs what the server runs on",
    prepare: "gives the compiler its checks of Effect, after an install"
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = Object.values(groups).flatMap((group) => Object.keys(group))
  const width = Math.max(...names.map((name) => name.length))
  for (const [title, group] of Object.entries(groups)) {
    console.log(`\n${title}:`)
    for (const [name, line] of Object.entries(group)) {
      console.log(`  npm run ${name.padEnd(width)}  ${line}`)
    }
  }
}
