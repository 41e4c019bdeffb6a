/**
 * Many bots on three servers of one PostgreSQL, which are killed, stand still, come back and are
 * replaced. It measures the time until bots move and step again, and its cost.
 *
 *   npm run bench:many-servers -- [bots] [candles a second]
 *
 * A row says after how many seconds every shard had an owner and every bot had stepped again. It
 * has the processor time of servers and database meanwhile, and that of a step. Where a machine is
 * busy with more, servers wait for a processor: a row tells that too. In the end each bot must have
 * exactly the fills of a backtest until its candle. The bench ends with 1 where one has not, or
 * where no fills can be compared.
 */
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { createDatabase } from "../packages/store-postgres/test/databases/createDatabase.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"
import {
  copyBots,
  makeBots,
  noteSteps,
  standingStill,
  statementsOf,
  stepsSince
} from "../test/crash/manyBots.ts"
import {
  ask,
  backtestFills,
  importCandles,
  shardsOf,
  writeStrategy
} from "../test/crash/placedBots.ts"
import { type ServerProcess, sleep, startServer } from "../test/crash/serverProcess.ts"
import { definition } from "../test/crash/workload.ts"

// An average of five candles, so that bots trade from their first minute on.
const quick = {
  ...definition,
  parameters: { ...definition.parameters, period: { kind: "integer", default: 5, min: 5, max: 60 } }
} as const

const botCount = Number(process.argv[2] ?? 1_000)
const rate = process.argv[3] ?? "0.1"
const candleCount = 5_000
const lastCandleMs = Date.UTC(2020, 0, 1) + (candleCount - 1) * 3_600_000
const shardCount = 300
const movedWithinS = 120
const steppedWithinS = 900

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The fields of a process after its name; none once it is gone. */
const statOf = (pid: number): ReadonlyArray<string> =>
  (textOf(`/proc/${pid}/stat`).split(") ")[1] ?? "").split(" ")

const processorSeconds = (pid: number): number => {
  const [user, system] = statOf(pid).slice(11, 13)
  return (Number(user ?? 0) + Number(system ?? 0)) / 100
}

/** For how many seconds a process was ready and had no processor. */
const waitedSeconds = (pid: number): number =>
  Number(textOf(`/proc/${pid}/schedstat`).split(" ")[1] ?? 0) / 1e9

const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))[1] === String(parent))
    .map(Number)

/** Sums over processes, in which those that have ended stay. */
const makeMeter = (processes: () => ReadonlyArray<number>, secondsOf: typeof processorSeconds) => {
  const known = new Map<number, number>()
  return (): number => {
    for (const pid of processes()) known.set(pid, Math.max(known.get(pid) ?? 0, secondsOf(pid)))
    return [...known.values()].reduce((sum, one) => sum + one, 0)
  }
}

const databaseProcesses = (): ReadonlyArray<number> =>
  childrenOf(process.pid)
    .filter((pid) => textOf(`/proc/${pid}/comm`).startsWith("postgres"))
    .flatMap((pid) => [pid, ...childrenOf(pid)])

/** Three servers, and those that take their places. */
const makeServers = (url: string) => {
  const servers: Array<ServerProcess> = []
  const pids = () => servers.map(({ child }) => child.pid!)
  return {
    url,
    all: servers,
    begin: async (): Promise<ServerProcess> => {
      const server = await startServer("none", { DATABASE_URL: url, CANDLEWICK_REPLAY_RATE: rate })
      servers.push(server)
      await server.ready(300_000)
      return server
    },
    meters: {
      servers: makeMeter(pids, processorSeconds),
      waited: makeMeter(pids, waitedSeconds),
      database: makeMeter(databaseProcesses, processorSeconds)
    }
  }
}

type Servers = ReturnType<typeof makeServers>

/** Does something to servers, and prints what becomes of their bots until each has stepped again. */
const watch = async (
  url: string,
  { meters }: Servers,
  { count, what }: { readonly count: number; readonly what: string },
  act: () => Promise<void>
): Promise<void> => {
  const look = async () => ({
    servers: meters.servers(),
    waited: meters.waited(),
    database: meters.database(),
    statements: await statementsOf(url)
  })
  await act()
  const sinceMs = performance.now()
  const seconds = () => (performance.now() - sinceMs) / 1_000
  await noteSteps(url)
  const before = await look()
  const isOwned = async () => {
    const shards = await shardsOf(url)
    return shards.length === count && shards.reduce((sum, one) => sum + one, 0) === shardCount
  }
  while (!(await isOwned()) && seconds() < movedWithinS) await sleep(100)
  const ownedS = seconds()
  const shares = (await shardsOf(url)).join("/")
  let still = await standingStill(url, lastCandleMs)
  while (still > 0 && seconds() < steppedWithinS) {
    await sleep(250)
    still = await standingStill(url, lastCandleMs)
  }
  const [steppedS, steps, after] = [seconds(), await stepsSince(url), await look()]
  const spent = (name: keyof typeof before) => after[name] - before[name]
  const ofStep = (name: keyof typeof before) => ((spent(name) * 1_000) / steps).toFixed(2)
  const columns = [
    `owned after ${ownedS.toFixed(1)} s (${shares})`,
    `all stepped after ${steppedS.toFixed(1)} s${still > 0 ? `, but for ${still}` : ""}`,
    `${steps} steps`,
    `${ofStep("servers")} + ${ofStep("database")} ms a step`,
    `servers ${spent("servers").toFixed(1)} s and waited ${spent("waited").toFixed(1)} s`,
    `database ${spent("database").toFixed(1)} s`,
    `${spent("statements")} statements`
  ]
  console.log(`${what}: ${columns.join("; ")}`)
}

interface FillsAt {
  readonly cursor: string | null
  readonly fills: ReadonlyArray<string>
  readonly bots: number
}

/** How many bots have other fills than the backtest has until their candle. */
const countWrong = async (url: string, expected: ReadonlyArray<string>): Promise<string> => {
  const found = await ask<FillsAt>(
    url,
    `select cursor::text, fills, count(*)::int as bots from (
       select state.bot_id, state.cursor, coalesce(
         array_agg(
           concat_ws(' ', record->>'executed_at', record->>'side', record->>'amount',
             record->>'price', record->>'fee', record->>'leg')
           order by record->>'executed_at', trade.id
         ) filter (where trade.id is not null), '{}'
       ) as fills
       from bot_states state left join trades trade on trade.bot_id = state.bot_id
       group by state.bot_id, state.cursor
     ) as bots group by cursor, fills`
  )
  const isRight = ({ cursor, fills }: FillsAt): boolean => {
    const until = Number(cursor ?? -1)
    const wanted = expected.filter((fill) => Date.parse(fill.split(" ")[0]!) <= until)
    return JSON.stringify(wanted) === JSON.stringify(fills)
  }
  const wrong = found.filter((one) => !isRight(one)).reduce((sum, { bots }) => sum + bots, 0)
  const fillCount = found.reduce((sum, { bots, fills }) => sum + bots * fills.length, 0)
  // Where nothing was filled, nothing was compared.
  if (fillCount === 0 || wrong > 0) process.exitCode = 1
  return `${fillCount} fills; ${wrong} bots have others than the backtest`
}

const run = async (url: string, servers: Servers): Promise<void> => {
  const { begin } = servers
  await ask(url, "create extension pg_stat_statements")
  console.log(`${botCount} bots, ${rate} candles a second, ${cpus().length} processors`)
  const maker = await begin()
  await importCandles(maker, candleCount)
  const expected = await backtestFills(maker, await writeStrategy(maker, quick))
  await maker.kill("SIGTERM")
  await makeBots(url, quick, 1)
  await copyBots(url, botCount)

  const [first, second, third] = [await begin(), await begin(), await begin()]
  const none = async () => {}
  const on = (count: number, what: string, act = none) => watch(url, servers, { count, what }, act)
  await on(3, "started")
  await on(3, "as they are")
  await on(2, "kill -9", () => third.kill("SIGKILL"))
  const fourth = await begin()
  await on(3, "a server more")
  await on(2, "SIGSTOP", async () => void second.child.kill("SIGSTOP"))
  await on(3, "SIGCONT", async () => void second.child.kill("SIGCONT"))
  for (const old of [first, second, fourth]) {
    await begin()
    await on(3, "SIGTERM of one that another replaces", () => old.kill("SIGTERM"))
  }
  await Promise.all(servers.all.map((server) => server.kill("SIGTERM")))
  console.log(await countWrong(url, expected))
}

const database = await startPostgres(18, { countsStatements: true })
const servers = makeServers(await createDatabase(database.url))
try {
  await run(servers.url, servers)
} finally {
  for (const { child } of servers.all) {
    child.kill("SIGCONT")
    child.kill("SIGKILL")
  }
  await database.stop()
}
