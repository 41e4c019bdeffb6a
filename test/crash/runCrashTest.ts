/**
 * Kills the server at random moments of a workload and says what became of every promise.
 */
import { makeRandom, type Random } from "@candlewick/core/kernel"
import { administer } from "./administer.ts"
import { answerOf, type Call, callsOfAny } from "./api.ts"
import { checkDesk, checkSwitch } from "./checkDesk.ts"
import { checkAll, checkRecords, type Findings } from "./checks.ts"
import { followLog, keepTurning, openDesk, prepareDesk } from "./desk.ts"
import { type Receiver, startReceiver } from "./receiver.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import {
  commandBot,
  createBot,
  importCandles,
  keepBusy,
  Promises,
  writeStrategy
} from "./workload.ts"

export interface CrashOptions {
  readonly directory: string
  readonly kills: number
  readonly seed: number
  /** Kills go on beyond their number until so many writes were acknowledged. */
  readonly acknowledgedMin?: number
  /** Servers beside one another, on the database that the environment names. */
  readonly serverCount?: 1 | 2
  readonly environment?: Readonly<Record<string, string>>
  readonly log?: (line: string) => void
}

export interface CrashReport extends Findings {
  readonly kills: number
  readonly killsWhileStarting: number
  readonly acknowledged: number
  /** Acknowledged writes by what they were. */
  readonly acknowledgedKinds: ReadonlyMap<string, number>
  /** Writes that others acknowledged while a server was down. */
  readonly acknowledgedBeside: number
  readonly unanswered: number
  readonly runs: number
  readonly trades: number
  readonly events: number
  readonly deliveries: number
  /** How often an account was known to be halted. */
  readonly quietTimes: number
  /** Lines of a log that was followed. */
  readonly heardLines: number
  readonly surprises: ReadonlyArray<string>
}

const startMs = 240_000

const addCount = (
  counts: ReadonlyMap<string, number>,
  [kind, count]: readonly [string, number]
): ReadonlyMap<string, number> => new Map([...counts, [kind, (counts.get(kind) ?? 0) + count]])

/** As many candles as bots, which each take a hundred a second, may come by between the kills. */
const candlesFor = (kills: number): number => Math.min(400, 50 * (kills + 1))

/** Candles that bots are given at the end: their rules enter at one in 47 of them at least. */
const candlesAfter = 60

/** Everything that the workload needs, before the first kill. */
const prepare = async (
  call: Call,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>,
  candleCount: number
): Promise<void> => {
  const runs = ["strategy.generated", "strategy.optimized", "backtest.complete"]
  const events = [...runs, "trade.executed", "alert.triggered"]
  for (const endpoint of endpoints) {
    const body = { url: endpoint.url, events }
    const { body: webhook, status } = await answerOf(call, "POST", "/webhooks", { body })
    if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(webhook)}`)
    endpoint.secret = webhook.secret
    kept.webhooks.add(webhook.id)
  }
  await importCandles(call, kept, candleCount)
  const strategyId = await writeStrategy(call, kept, "the strategy")
  if (strategyId === null) throw new Error(`no strategy: ${kept.surprises.join()}`)
  for (const [name, isSteady] of [
    ["steady 1", true],
    ["steady 2", true],
    ["moody 1", false],
    ["moody 2", false]
  ] as const) {
    const id = await createBot(call, kept, name, strategyId, isSteady)
    if (id === null) throw new Error(`no bot: ${kept.surprises.join()}`)
    await commandBot(call, kept, id, "start")
  }
}

/** Servers that are killed and started again, and calls to whichever of them answers. */
class Servers {
  readonly #options: CrashOptions
  readonly #random: Random
  readonly #all: Array<ServerProcess> = []

  constructor(options: CrashOptions, random: Random) {
    this.#options = options
    this.#random = random
  }

  /** In any order. */
  readonly urls = (): ReadonlyArray<string> => {
    const urls = this.#all.map(({ url }) => url)
    return this.#random.next() < 0.5 ? urls : urls.toReversed()
  }

  readonly call: Call = callsOfAny(this.urls)

  async start(index: number): Promise<void> {
    const { directory, environment } = this.#options
    this.#all[index] = await startServer(directory, environment)
  }

  async ready(): Promise<void> {
    for (const server of this.#all) {
      if (await server.ready(startMs)) continue
      throw new Error(`the server ended by itself: ${server.ended()}`)
    }
  }

  async kill(indexes: ReadonlyArray<number>): Promise<void> {
    await Promise.all(indexes.map((index) => this.#all[index]!.kill("SIGKILL")))
  }

  async end(): Promise<void> {
    await this.kill([...this.#all.keys()])
  }
}

/** Runs the whole test; what it finds is in the report. */
export const runCrashTest = async (options: CrashOptions): Promise<CrashReport> => {
  const { acknowledgedMin = 0, kills: killsMin, log = () => undefined, seed } = options
  const { serverCount = 1 } = options
  const random = makeRandom(seed)
  const kept = new Promises()
  const findings: Findings = { losses: [], duplicates: [], faults: [] }
  const endpoints = [await startReceiver(), await startReceiver()]
  let kills = 0
  let killsWhileStarting = 0
  let acknowledgedBeside = 0
  const servers = new Servers(options, random.fork("servers"))
  const { call } = servers
  const desk = await openDesk(call, options.directory, options.environment)
  const every = Array.from({ length: serverCount }, (_, index) => index)
  const all = () => [...findings.losses, ...findings.duplicates, ...findings.faults]
  /** Lets callers go on for a while, and kills what is named in the middle of it. */
  const killWhileBusy = async (own: Random, victims: ReadonlyArray<number>): Promise<void> => {
    await servers.ready()
    const before = all().length
    await checkRecords(call, kept, findings)
    await checkSwitch(desk, findings)
    for (const one of all().slice(before)) log(one)
    let isOver = false
    const where = { call, kept, endpoints, findings }
    const busy = Promise.all([
      keepBusy(call, kept, own, () => isOver),
      administer(where, own.fork("administration"), () => isOver),
      keepTurning(desk, own.fork("desk"), findings.faults, () => isOver),
      followLog(desk, servers.urls, () => isOver)
    ])
    await sleep(100 + own.next() * 2_900)
    isOver = victims.length === serverCount
    await servers.kill(victims)
    if (isOver) kept.restarts.push(Date.now())
    else {
      const acknowledged = kept.acknowledged
      await sleep(own.next() * 2_000)
      isOver = true
      acknowledgedBeside += kept.acknowledged - acknowledged
    }
    await busy
  }
  try {
    for (const index of every) {
      await servers.start(index)
      // The first one lays the tables.
      await servers.ready()
    }
    await prepare(call, kept, endpoints, candlesFor(killsMin))
    await prepareDesk(desk, findings.faults)
    while (kills < killsMin || kept.acknowledged < acknowledgedMin) {
      kills++
      const own = random.fork(kills)
      const isEarly = kills > 1 && own.next() < 0.15
      const victims = own.next() < 0.1 ? every : [own.integer(0, serverCount - 1)]
      if (isEarly) {
        await sleep(50 + own.next() * 2_000)
        killsWhileStarting++
        await servers.kill(victims)
        if (victims.length === serverCount) kept.restarts.push(Date.now())
      } else await killWhileBusy(own, victims)
      if (kills % 10 === 0) {
        log(`${kills} kills, ${kept.acknowledged} acknowledged writes, ${all().length} findings`)
      }
      for (const index of victims) await servers.start(index)
    }
    await servers.ready()
    const addCandles = () => importCandles(call, kept, candlesAfter)
    await checkDesk(desk, servers.urls, addCandles, findings)
    const trades = await checkAll(call, kept, endpoints, findings)
    const heard = endpoints.flatMap((one) => [...one.heard.values()])
    return {
      ...findings,
      kills,
      killsWhileStarting,
      acknowledged: kept.acknowledged,
      acknowledgedKinds: [...desk.kept.kinds].reduce(addCount, kept.kinds),
      acknowledgedBeside,
      unanswered: kept.unanswered,
      runs: kept.runs.size,
      trades,
      events: endpoints[0]!.heard.size,
      deliveries: heard.reduce((sum, { count }) => sum + count, 0),
      quietTimes: desk.quiet.length,
      heardLines: desk.heard.length,
      surprises: [...kept.surprises, ...desk.kept.surprises]
    }
  } finally {
    await servers.end()
    for (const endpoint of endpoints) await endpoint.close()
  }
}
