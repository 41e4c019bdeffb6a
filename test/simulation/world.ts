/**
 * Two processes of bots over one store in memory, and everything around them: the placement of
 * bots, the feeds of candles, the store's lines and the receiver of webhooks.
 */
import {
  Accounts,
  AccountStore,
  Alerts,
  BotPlacement,
  Bots,
  Candles,
  CandleStore,
  Events,
  firstIdAt,
  type IdKind,
  Ids,
  MarketData,
  MarketStore,
  PaperBooks,
  StrategyStore,
  type StorePorts,
  type StrategyDefinition,
  WebhookEndpoints
} from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { accountRecord, seriesRecord, strategyRecord } from "@candlewick/core/testing"
import { NotificationSender, Webhooks } from "@candlewick/webhooks"
import { Cause, type Context, Effect, Exit, Layer, Scope } from "effect"
import { MemoryStore } from "@candlewick/store-memory"
import { Counts } from "./counts.ts"
import { StoreServer } from "./faultyStore.ts"
import type { BotHistory, BotPlan } from "./botHistory.ts"
import type { LiveHistory } from "./live/liveHistory.ts"
import { LiveSide } from "./live/liveSide.ts"
import { Watch } from "./invariants.ts"
import { type Market, openMarket } from "./market.ts"
import { Placement } from "./placement.ts"
import { answerTimeoutMs, Receiver } from "./receiver.ts"
import { type Lane, Simulator, Violation } from "./seededScheduler.ts"
import { capital, marketFor, strategyOf, symbols } from "./strategies.ts"

const startMs = Date.UTC(2026, 0, 1)
/** After so long, a process that does not answer counts as gone. */
const lossMs = 4_000
const restartMs = 1_000
const endMaxMs = 60_000

const servicesOf = (lane: Lane, world: World) => {
  const ports = Layer.mergeAll(
    PaperBooks.layer,
    Layer.succeed(MarketData, world.market.connect(lane)),
    Layer.succeed(BotPlacement, world.placement.join(lane))
  )
  const webhooks = Webhooks.layerWithSender({
    allowCidrs: ["10.0.0.0/8"],
    timeoutMs: answerTimeoutMs
  }).pipe(Layer.provide(Layer.succeed(NotificationSender, world.receiver.connect(lane))))
  const ground = Layer.mergeAll(Candles.layer, Events.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(ports, webhooks)),
    Layer.provideMerge(Ids.layer)
  )
  return Layer.mergeAll(Accounts.layer, Alerts.layer, Bots.layer, WebhookEndpoints.layer).pipe(
    Layer.provideMerge(ground),
    Layer.provideMerge(Layer.succeedContext(world.server.connect(lane))),
    Layer.provide(world.live?.connect(lane) ?? Layer.empty)
  )
}

type Services = Layer.Success<ReturnType<typeof servicesOf>>

interface Process {
  readonly lane: Lane
  readonly scope: Scope.Closeable
  services: Context.Context<Services> | null
  /** When it was told to end; none before. */
  endsSinceMs: number | null
}

/** A bot of the history. */
export interface WorldBot {
  readonly id: string
  readonly definition: StrategyDefinition
  /** After how many candles no entry of it rests any more. */
  readonly entriesEndAfter: number
  /** By which it is placed. */
  readonly share: string
  /** Whether a command may have changed what it decides. */
  isDisturbed: boolean
}

/** Everything of one history. */
export class World {
  readonly simulator: Simulator
  readonly counts = new Counts()
  readonly stores: Context.Context<StorePorts>
  readonly server: StoreServer
  readonly placement: Placement
  readonly market: Market
  readonly receiver: Receiver
  readonly watch: Watch
  /** The exchange of bots that trade live; null for bots on paper. */
  readonly live: LiveSide | null
  readonly accountId: string
  readonly bots: Array<WorldBot> = []
  readonly #slots: Array<Process | null> = [null, null]
  readonly #skews = [0, 0]
  readonly #host: Lane
  #generation = 0
  #idCount = 0
  #disturbedAtMs = 0
  /** The faults that a fibre found: thrown there, one would only end the fibre. */
  violation: Violation | null = null

  constructor(history: BotHistory | LiveHistory) {
    this.simulator = new Simulator(history.order, startMs)
    this.#host = this.simulator.lane("host")
    this.stores = Effect.runSync(Effect.scoped(Layer.build(MemoryStore.layer)))
    this.market = openMarket(this.simulator, history)
    this.watch = new Watch(this.counts, this.market)
    this.live =
      history.kind === "live" ? new LiveSide(this.simulator, this.counts, history, this) : null
    this.watch.refuseEntry = (botId) => this.live?.shortage.refuseEntry(botId)
    this.watch.hasLacked = () => this.live?.shortage.hasBeen === true
    this.receiver = new Receiver(this.counts)
    this.placement = new Placement(this.simulator, this.counts)
    this.server = new StoreServer(this.simulator.lane("store"), this.stores, {
      counts: this.counts,
      kill: (lane) => this.#killLane(lane),
      freeze: (lane, ms) => this.#freezeLane(lane, ms),
      onFault: () => this.#disturb(),
      onKept: (lane, calls) =>
        this.noting(() => {
          this.live?.shortage.look()
          this.watch.look(lane, calls)
          this.live?.watch.look(lane, calls)
        }),
      isSerial: makeRandom(`${history.seed} serial`).next() < 0.5
    })
    this.accountId = this.#idOf("account")
    this.#setUp(history)
  }

  #idOf(kind: IdKind): string {
    return firstIdAt(kind, startMs - ++this.#idCount)
  }

  #disturb(): void {
    this.#disturbedAtMs = this.simulator.nowMs
  }

  /** When a process, the store or who places bots failed last, or was mended. */
  get disturbedAtMs(): number {
    const isAny = this.#slots.some((one) => one?.services != null && one.lane.status === "running")
    return isAny ? this.#disturbedAtMs : this.simulator.nowMs
  }

  /** Notes the first thing that is found wrong. */
  noting(look: () => void): void {
    try {
      look()
    } catch (error) {
      this.violation ??=
        error instanceof Violation ? error : new Violation(String((error as Error).stack))
    }
  }

  /** The account, its markets and their first candles, and the bots. */
  #setUp({ bots, seed }: BotHistory | LiveHistory): void {
    const { accountId, market } = this
    const idOf = (kind: IdKind) => this.#idOf(kind)
    const kept = Effect.gen(function* () {
      yield* (yield* AccountStore).insert(accountRecord({ id: accountId }))
      for (const symbol of symbols) {
        const columns = market.series.get(symbol)!
        const series = seriesRecord({
          symbol,
          timeframe: market.times.timeframe,
          candle_count: columns.length,
          // Tables of candles are kept by their hash, for all histories of a thread.
          hash: `${seed} ${symbol} ${market.times.timeframe}`
        })
        yield* (yield* CandleStore).put(series, columns)
        yield* (yield* MarketStore).insert(marketFor(symbol, idOf("market")))
      }
    })
    Effect.runSync(Effect.provideContext(kept, this.stores))
    this.startProcess(0)
    this.simulator.settle()
    for (const plan of bots) {
      this.#addBot(plan, strategyOf(plan, market.times))
    }
    this.#addEndpoint()
    this.startProcess(1)
    this.simulator.settle()
  }

  #addBot({ entriesEndAfter = Infinity }: BotPlan, definition: StrategyDefinition): void {
    const { accountId, live } = this
    const id = this.#idOf("strategy")
    const made = Effect.gen(function* () {
      const strategy = strategyRecord({
        id,
        account_id: accountId,
        symbols: [...definition.symbols],
        timeframe: definition.timeframe,
        definition
      })
      yield* (yield* StrategyStore).insert(strategy)
      return yield* (yield* Bots).create(accountId, {
        name: "a bot",
        strategy_id: strategy.id,
        capital_allocation: capital,
        ...live?.request
      })
    })
    const bot = this.now(0, made)
    const share = live?.shareOf(accountId) ?? bot.id
    this.bots.push({ id: bot.id, definition, entriesEndAfter, share, isDisturbed: false })
  }

  #addEndpoint(): void {
    const { accountId } = this
    const made = Effect.flatMap(WebhookEndpoints, (webhooks) =>
      webhooks.register(accountId, {
        url: "https://10.0.0.1/hook",
        events: ["trade.executed", "alert.triggered"]
      })
    )
    this.now(0, made)
  }

  /** Calls a process, and takes its answer at this moment. */
  now<A, E>(slot: number, effect: Effect.Effect<A, E, Services>): A {
    const answers: Array<Exit.Exit<A, E>> = []
    this.ask(slot, effect, (exit) => void answers.push(exit))
    this.simulator.settle()
    const [exit] = answers
    if (exit === undefined) throw new Violation("a call is not answered where nothing goes wrong")
    if (Exit.isSuccess(exit)) return exit.value
    throw new Violation(Cause.pretty(exit.cause))
  }

  /** Calls a process; false where there is none that would hear of it. */
  ask<A, E>(
    slot: number,
    effect: Effect.Effect<A, E, Services>,
    onEnd: (exit: Exit.Exit<A, E>) => void
  ): boolean {
    const process = this.#slots[slot]
    if (process?.services == null) return false
    const { lane, services } = process
    this.simulator.fork(lane, Effect.provideContext(effect, services), (exit) => {
      this.noting(() => {
        const isBroken = Exit.isFailure(exit) && Cause.hasDies(exit.cause)
        if (isBroken) throw new Violation(`a call died: ${Cause.pretty(exit.cause)}`)
        onEnd(exit)
      })
    })
    return true
  }

  /** Starts a process where there is none; one that can't begin is started again. */
  startProcess(slot: number): void {
    if (this.#slots[slot] != null) return
    this.counts.add("process.start")
    const lane = this.simulator.lane(`process ${slot}.${++this.#generation}`)
    lane.skewMs = this.#skews[slot]!
    const scope = Scope.makeUnsafe()
    const process: Process = { lane, scope, services: null, endsSinceMs: null }
    this.#slots[slot] = process
    this.#disturb()
    const building = Layer.buildWithScope(servicesOf(lane, this), scope)
    this.simulator.fork(lane, building, (exit) => {
      if (Exit.isSuccess(exit)) {
        process.services = exit.value
        return
      }
      this.counts.add("process.failedStart")
      this.#killLane(lane)
      this.simulator.after(restartMs, this.#host, () => this.startProcess(slot))
    })
  }

  #slotOf(lane: Lane): number {
    return this.#slots.findIndex((process) => process?.lane === lane)
  }

  #killLane(lane: Lane): void {
    if (lane.status === "dead") return
    this.#disturb()
    const slot = this.#slotOf(lane)
    if (slot >= 0) this.#slots[slot] = null
    lane.kill()
    this.placement.loseAfter(lane, lossMs)
  }

  /** Ends the process of a lane at once. */
  lose(lane: Lane): void {
    this.#killLane(lane)
  }

  /** Ends a process at once, as `kill -9` does. */
  kill(slot: number): void {
    const process = this.#slots[slot]
    if (process == null) return
    this.counts.add("process.kill")
    this.#killLane(process.lane)
  }

  #freezeLane(lane: Lane, ms: number): void {
    if (lane.status !== "running") return
    this.counts.add("process.freeze")
    this.#disturb()
    lane.freeze()
    this.placement.loseAfter(lane, lossMs)
    this.simulator.after(ms, this.#host, () => this.#thawLane(lane))
  }

  #thawLane(lane: Lane): void {
    if (lane.status !== "frozen") return
    this.#disturb()
    lane.thaw()
    this.placement.catchUpAfter(lane, this.simulator.random.integer(0, 1_500))
  }

  /** Has a process stand still for a while. */
  freeze(slot: number, ms: number): void {
    const process = this.#slots[slot]
    if (process != null) this.#freezeLane(process.lane, ms)
  }

  /** Ends a process as SIGTERM does. */
  end(slot: number): void {
    const process = this.#slots[slot]
    if (process?.services == null || process.endsSinceMs !== null) return
    this.counts.add("process.end")
    this.#disturb()
    process.endsSinceMs = this.simulator.nowMs
    this.simulator.fork(process.lane, Scope.close(process.scope, Exit.void), () => {
      this.placement.leave(process.lane)
      this.#killLane(process.lane)
    })
  }

  /** Sets the wall clock of a process. */
  skew(slot: number, ms: number): void {
    this.counts.add("process.skew")
    this.#skews[slot] = ms
    const process = this.#slots[slot]
    if (process != null) process.lane.skewMs = ms
  }

  laneOf(slot: number): Lane | null {
    return this.#slots[slot]?.lane ?? null
  }

  /** Tells one more candle, at whose close the exchange trades. */
  tell(): void {
    this.market.tell()
    this.live?.follow(this.market)
  }

  /** Has a share be another process's from now on, or be claimed by two. */
  place(how: (placement: Placement) => void): void {
    this.#disturb()
    how(this.placement)
  }

  /** Ends all faults: what is frozen goes on, and what is gone is started again. */
  heal(): void {
    this.live?.venue.heal()
    this.healProcesses()
  }

  /** The same, but for those of the exchange. */
  healProcesses(): void {
    this.server.rates = { fail: 0, lose: 0, slow: 0 }
    this.server.armed.clear()
    this.receiver.answer = "ok"
    for (const [slot, process] of this.#slots.entries()) {
      if (process == null) {
        this.startProcess(slot)
        continue
      }
      this.#thawLane(process.lane)
      this.market.mend(process.lane)
      this.placement.catchUpAfter(process.lane, 0)
    }
  }

  /** Whether every process is there, and none of them is on its way out. */
  get isWhole(): boolean {
    return this.#slots.every((process) => process?.services != null && process.endsSinceMs === null)
  }

  /** A process that is told to end does so in time. */
  refuseEndless(): void {
    for (const process of this.#slots) {
      if (process?.endsSinceMs == null) continue
      const sinceMs = Math.max(process.endsSinceMs, process.lane.disturbedAtMs)
      if (this.simulator.nowMs - sinceMs > endMaxMs) {
        throw new Violation("a process that was told to end does not")
      }
    }
  }

  /** Ends everything, so that nothing of it goes on. */
  close(): void {
    for (const process of this.#slots) process?.lane.kill()
  }
}
