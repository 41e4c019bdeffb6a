/**
 * The services take every row of the tables of bots, orders, trading states and the kill switch,
 * for a reason that a caller, a market or an exchange can bring about.
 */
import {
  BotMachine,
  type BotStatus,
  Bots,
  PaperBooks,
  BooksError,
  BooksUnavailable,
  KillSwitchMachine,
  type Order,
  OrderMachine,
  OrderRefused,
  OutcomeUnknown,
  riskProfiles,
  TradingStateMachine
} from "@candlewick/core"
import { makePlacements } from "@candlewick/core/testing"
import type { EndedOrder, MatchFill, OrderRequest } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, References, Scope } from "effect"
import { vi } from "vitest"
import { type Story, tellStories } from "../services/recordMoves.ts"
import { holdLive, liveWorld, makeModel, ordersWhere } from "./liveWorld.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, type Script, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

vi.mock(import("../../packages/core/src/domain/StateTable.ts"), async (importOriginal) => {
  const { recording } = await import("../services/recordMoves.ts")
  return recording(await importOriginal())
})

vi.mock(import("../../packages/engine/src/kernel/riskGateMachine.ts"), async (importOriginal) => {
  const { recordingGate } = await import("../services/recordMoves.ts")
  return recordingGate(await importOriginal())
})

/** An exchange whose faults the test chooses; otherwise it is paper. */
class Exchange {
  /** How it answers what it is asked of an account, and of what happened to orders. */
  settling: "well" | "away" | "broken" = "well"
  /** How it answers an order, which it takes in each case. */
  placing: "well" | "away" | "unsure" = "well"
  /** How it answers when it is asked for an order. */
  finding: "well" | "away" | "open" = "well"
  /** How much less cash it has than the fills say. */
  lacking = 0
  /** Whether the entry that was placed is held there, with a stop; paper says where it is not. */
  isHeld = false
  /** The order that was placed last. */
  placed: OrderRequest | null = null
  /** The events that it tells of next, in place of any fill. */
  told: { readonly fills: Array<MatchFill>; readonly ended: Array<EndedOrder> } | null = null
}

const away = new BooksError({ reason: new BooksUnavailable({ cause: "the test says so" }) })

/** The position that the entry which was placed last has opened, with a stop. */
const heldBy = ({ placed }: Exchange) => ({
  symbol,
  quantity: 4,
  entryPrice: 101,
  protection: {
    entryOrderId: placed!.id,
    stop: 90,
    stopReason: "stop_loss" as const,
    isTrailing: false,
    target: null
  }
})

const brokerOf = (exchange: Exchange): typeof PaperBooks.layer =>
  Layer.effect(
    PaperBooks,
    Effect.map(PaperBooks, (paper) =>
      PaperBooks.of({
        ...paper,
        isInStore: false,
        place: (botId, market, order) =>
          Effect.suspend(() => {
            exchange.placed = order
            if (exchange.placing === "well") return paper.place(botId, market, order)
            if (exchange.placing === "away") return Effect.fail(away)
            const reason = new OutcomeUnknown({ client_order_id: order.id })
            return Effect.fail(new BooksError({ reason }))
          }),
        find: (botId, market, id) =>
          Effect.suspend(() => {
            if (exchange.finding === "well") return paper.find(botId, market, id)
            return exchange.finding === "away" ? Effect.fail(away) : Effect.succeedSome("open")
          }),
        settle: (botId, candles) =>
          Effect.suspend(() => {
            if (exchange.settling === "away") return Effect.fail(away)
            if (exchange.settling === "broken") {
              const reason = new OrderRefused({ client_order_id: "any", why: "it is broken" })
              return Effect.fail(new BooksError({ reason }))
            }
            const { told } = exchange
            if (told === null) return paper.settle(botId, candles)
            exchange.told = null
            // It tells of the order, so that it knows it by now.
            exchange.finding = "open"
            return Effect.succeed({ ...told, payments: [] })
          }),
        account: (botId) =>
          Effect.map(paper.account(botId), (account) => ({
            ...account,
            cash: account.cash - exchange.lacking,
            ...(exchange.isHeld && { positions: [heldBy(exchange)] })
          }))
      })
    )
  ).pipe(Layer.provide(PaperBooks.layer))

type Scene = Effect.Success<ReturnType<typeof setTheScene>>

interface World {
  readonly scene: Scene
  readonly exchange: Exchange
  /** The bots as another process sees them, which owns none. */
  readonly other: Bots["Service"]
  readonly tellUntil: (index: number) => Effect.Effect<void>
}

/** That a faulty exchange is tried again is told in the log. */
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

/** Two processes over one store and one exchange; the first one owns the bot. */
const inWorld = <A, E>(
  script: Script,
  use: (world: World) => Effect.Effect<A, E>,
  options: Parameters<typeof setTheScene>[1] = {}
) =>
  Effect.gen(function* () {
    const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
    const exchange = new Exchange()
    const placements = makePlacements()
    const scope = yield* Scope.make()
    const begin = (name: string) => {
      const told = makeScript(script)
      const layer = botsOnStores(told.layer, brokerOf(exchange)).pipe(
        Layer.provide(placements.layer(name)),
        Layer.provideMerge(kept)
      )
      return Effect.map(Layer.buildWithScope(layer, scope), (services) => ({ ...told, services }))
    }
    const one = yield* begin("one")
    const second = yield* begin("second")
    const scene = yield* Effect.provide(setTheScene(script, options), one.services)
    const other = yield* Effect.provide(Bots, second.services)
    yield* use({ scene, exchange, other, tellUntil: one.tellUntil })
    yield* Scope.close(scope, Exit.void)
  }).pipe(Effect.scoped, quiet)

type Step = BotStatus | "start" | "pause" | "stop" | "candle" | Exchange["settling"]

const isCommand = (step: Step): step is "start" | "pause" | "stop" =>
  step === "start" || step === "pause" || step === "stop"

/** A bot that is asked and seen to be as the steps say, while its exchange is as they say. */
const lifeOf = (...steps: ReadonlyArray<Step>) =>
  inWorld({ [symbol]: Array.from({ length: 10 }, () => 99) }, ({ exchange, scene, tellUntil }) =>
    Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = scene
      let toldCount = 0
      for (const step of steps) {
        if (isCommand(step)) yield* bots.command(accountId, bot.id, step)
        else if (step === "candle") yield* tellUntil(++toldCount)
        else if (step === "well" || step === "away" || step === "broken") exchange.settling = step
        else yield* becomes(step)
      }
    })
  )

const bots: ReadonlyArray<Story> = [
  {
    title: "a bot is started, paused, started again and stopped, twice over",
    takes: [
      "bot: created on start",
      "bot: starting on started",
      "bot: running on pause",
      "bot: pausing on settled",
      "bot: paused on start",
      "bot: running on stop",
      "bot: stopping on settled",
      "bot: stopped on start"
    ],
    tell: lifeOf(
      ...(["start", "running", "pause", "paused", "start", "running", "stop", "stopped"] as const),
      ...(["start", "running", "pause", "paused", "start", "running"] as const)
    )
  },
  {
    title: "a bot that is paused is stopped",
    takes: ["bot: paused on stop"],
    tell: lifeOf("start", "running", "pause", "paused", "stop", "stopped")
  },
  {
    title: "a bot whose exchange is away while it starts is paused, and pauses once it is back",
    takes: ["bot: starting on pause"],
    tell: lifeOf("away", "start", "starting", "pause", "pausing", "well", "paused")
  },
  {
    title: "a bot whose exchange is away is stopped while it pauses",
    takes: ["bot: pausing on stop"],
    tell: lifeOf("away", "start", "pause", "pausing", "stop", "stopping", "well", "stopped")
  },
  {
    title: "a bot is stopped while it starts, and fails as it stops",
    takes: ["bot: starting on stop", "bot: stopping on failed", "bot: error on stop"],
    tell: lifeOf(
      ...(["away", "start", "starting", "stop", "stopping", "broken", "error"] as const),
      ...(["well", "stop", "stopped"] as const)
    )
  },
  {
    title: "a bot fails as it starts, and is started again",
    takes: ["bot: starting on failed", "bot: error on start"],
    tell: lifeOf("broken", "start", "error", "well", "start", "running")
  },
  {
    title: "a bot fails as it pauses",
    takes: ["bot: pausing on failed"],
    tell: lifeOf("away", "start", "pause", "pausing", "broken", "error")
  },
  {
    title: "a bot fails as it runs",
    takes: ["bot: running on failed"],
    tell: lifeOf("start", "running", "broken", "candle", "error")
  },
  {
    title: "a bot fails while it is paused",
    takes: ["bot: paused on failed"],
    tell: lifeOf("start", "running", "pause", "paused", "broken", "candle", "error")
  }
]

type Report = (order: OrderRequest) => NonNullable<Exchange["told"]>

const filled =
  (quantity: number, effect: MatchFill["effect"] = "open"): Report =>
  ({ id, leg, side }) => ({
    fills: [
      {
        orderId: id,
        market: 0,
        leg,
        side,
        quantity,
        price: 101,
        fee: 0,
        index: 1,
        time: scriptStart + 3_600_000,
        effect,
        closed: null
      }
    ],
    ended: []
  })

const ended =
  (outcome: EndedOrder["outcome"]): Report =>
  ({ id }) => ({ fills: [], ended: [{ orderId: id, market: 0, outcome, reason: "so it is" }] })

/**
 * An entry of ten that the exchange answers so, and tells so much of afterwards, one report for
 * each time that it is asked.
 */
const orderOf = (
  placing: Exchange["placing"],
  reports: ReadonlyArray<Report>,
  last: Order["status"],
  finding: Exchange["finding"] = "away"
) =>
  inWorld({ [symbol]: [99, 101, 102] }, ({ exchange, other, scene, tellUntil }) =>
    Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = scene
      const first = { well: "accepted", away: "submitted", unsure: "unknown" }[placing]
      const orderIs = (status: string) =>
        eventually(
          bots.orders(accountId, bot.id, { limit: 10 }),
          ({ items }) => items[0]?.status === status
        )
      Object.assign(exchange, { placing, finding })
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* tellUntil(2)
      yield* orderIs(first)
      // Its record says so before the exchange has it.
      yield* eventually(
        Effect.sync(() => exchange.placed),
        (placed) => placed !== null
      )
      for (const report of reports) {
        exchange.told = report(exchange.placed!)
        yield* other.reconcile(accountId, bot.id)
      }
      if (reports.length === 0) Object.assign(exchange, { placing: "well", finding: "open" })
      const { items } = yield* orderIs(last)
      assert.lengthOf(items, 1)
    })
  )

/** A sale of what an entry has brought so far, by an order of this name. */
const sold =
  (leg: "stop_loss" | "exit", nameOf: (entry: string) => string): Report =>
  (entry) => {
    const { ended: none, fills } = filled(4, "close")(entry)
    return {
      ended: none,
      fills: fills.map((fill) => ({ ...fill, leg, side: -1, orderId: nameOf(entry.id) }))
    }
  }

/** An entry whose rest comes after its first part was sold, and the stop that follows both. */
const restAfter = (sale: Report, between: Order["status"], after: Order["status"]) =>
  inWorld({ [symbol]: [99, 101, 102] }, ({ exchange, other, scene, tellUntil }) =>
    Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = scene
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* tellUntil(2)
      yield* eventually(
        Effect.sync(() => exchange.placed),
        (placed) => placed !== null
      )
      exchange.isHeld = true
      const stops: Array<string> = []
      for (const report of [filled(4), sale, filled(6)]) {
        exchange.told = report(exchange.placed!)
        yield* other.reconcile(accountId, bot.id)
        const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
        const stop = items.find(({ client_order_id: id }) => id.endsWith(":stop"))!
        stops.push(`${stop.status}: ${stop.filled_quantity} of ${stop.quantity}`)
      }
      const sum = between === "filled" ? 4 : 0
      assert.deepStrictEqual(stops, [
        "accepted: 0 of 4",
        `${between}: ${sum} of 4`,
        `${after}: ${sum} of ${sum + 6}`
      ])
    })
  )

const whole = filled(10)
const part = filled(4)
const more = filled(3, "increase")
const rest = filled(3, "increase")

const orders: ReadonlyArray<Story> = [
  {
    title: "an order is placed, and filled",
    takes: ["order: new on submit", "order: submitted on accepted", "order: accepted on filled"],
    tell: orderOf("well", [whole], "filled")
  },
  {
    title: "an order is filled in three parts",
    takes: [
      "order: accepted on partially_filled",
      "order: partially_filled on partially_filled",
      "order: partially_filled on filled"
    ],
    tell: orderOf("well", [part, more, rest], "filled")
  },
  {
    title: "an order that the exchange cancelled is filled all the same",
    takes: ["order: accepted on cancelled", "order: cancelled on filled"],
    tell: orderOf("well", [ended("cancelled"), whole], "filled")
  },
  {
    title: "an order whose time was over is filled all the same",
    takes: ["order: accepted on expired", "order: expired on filled"],
    tell: orderOf("well", [ended("expired"), whole], "filled")
  },
  {
    title: "a stop that has sold a part goes on for the rest of its entry",
    takes: ["order: filled on reopened"],
    tell: restAfter(
      sold("stop_loss", (id) => `${id}:stop`),
      "filled",
      "partially_filled"
    )
  },
  {
    title: "a stop that was taken back rests again for the rest of its entry",
    takes: ["order: cancelled on reopened"],
    tell: restAfter(
      sold("exit", (id) => `${id} left`),
      "cancelled",
      "accepted"
    )
  },
  {
    title: "an order that rests expires",
    takes: ["order: accepted on expired"],
    tell: orderOf("well", [ended("expired")], "expired")
  },
  {
    title: "an order that rests is rejected when it would fill",
    takes: ["order: accepted on rejected"],
    tell: orderOf("well", [ended("rejected")], "rejected")
  },
  {
    title: "an order that a candle has no volume for does not stay open",
    takes: ["order: accepted on rejected"],
    tell: inWorld(
      { [symbol]: [99, 101, 99] },
      ({ scene, tellUntil }) =>
        Effect.gen(function* () {
          const { accountId, becomes, bot, bots, reaches } = scene
          yield* bots.command(accountId, bot.id, "start")
          yield* becomes("running")
          yield* tellUntil(3)
          yield* reaches(2)
          const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
          assert.deepStrictEqual(
            items.map(({ reason, status }) => `${status}: ${reason}`),
            ["rejected: the candle has too little volume"]
          )
          assert.deepStrictEqual((yield* bots.status(accountId, bot.id)).open_orders, [])
        }),
      { market: { volume_share_max: 0.001 } }
    )
  },
  {
    title: "a stop that its exchange has ended is asked for anew",
    takes: ["order: accepted on submit"],
    tell: Effect.suspend(() => {
      const model = makeModel()
      const live = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bot, bots } = yield* holdLive(model, live)
        const stopIs = (wanted: string) =>
          eventually(bots.orders(accountId, bot.id, { limit: 10 }), ({ items }) =>
            items.some(({ leg, status }) => leg === "stop_loss" && status === wanted)
          )
        yield* stopIs("accepted")
        const [resting] = yield* model.venue.openOrders
        yield* model.venue.cancel(symbol, resting!.id)
        yield* ordersWhere(model, (all) => all.filter(({ type }) => type === "stop").length === 2)
        yield* stopIs("accepted")
      })
      return Effect.provide(story, live.layer)
    })
  },
  {
    title: "the rest of an order is cancelled",
    takes: ["order: partially_filled on cancelled"],
    tell: orderOf("well", [part, ended("cancelled")], "cancelled")
  },
  {
    title: "the rest of an order expires",
    takes: ["order: partially_filled on expired"],
    tell: orderOf("well", [part, ended("expired")], "expired")
  },
  {
    title: "the rest of an order is rejected, and the order keeps its fills",
    takes: ["order: partially_filled on rejected"],
    tell: orderOf("well", [part, ended("rejected")], "cancelled")
  },
  {
    title: "an order whose answer was lost is found at the exchange",
    takes: ["order: submitted on timed_out", "order: unknown on accepted"],
    tell: orderOf("unsure", [], "accepted")
  },
  ...(["away", "unsure"] as const).flatMap((placing): ReadonlyArray<Story> => {
    const from = placing === "away" ? "submitted" : "unknown"
    const reports = [
      ["rejected", ended("rejected")],
      ["cancelled", ended("cancelled")],
      ["expired", ended("expired")],
      ["partially_filled", part],
      ["filled", whole]
    ] as const
    return reports.map(([fact, report]) => ({
      title: `an order that is ${from} is ${fact.replace("_", " ")}`,
      takes: [`order: ${from} on ${fact}`],
      tell: orderOf(placing, [report], fact)
    }))
  })
]

const risk = {
  ...riskProfiles.low,
  max_drawdown: 0.05,
  daily_loss: 0.01,
  max_exposure: 10,
  risk_per_trade: 1,
  is_stop_loss_mandatory: false
}

type Reason = ReturnType<typeof TradingStateMachine.states.at>
type Deed =
  | Exclude<Reason, undefined>
  | number
  | "resume"
  | "halt"
  | "resumeAll"
  | { lacking: number }

/**
 * A bot that buys ten for 1,000 of its 10,000 at the third candle. The deeds are the number of the
 * candles that were told, what the exchange lacks, requests, and the reason that the bot then shows.
 */
const gateOf = (
  closes: ReadonlyArray<number>,
  limits: typeof risk,
  ...deeds: ReadonlyArray<Deed>
) =>
  inWorld(
    { [symbol]: closes },
    ({ exchange, scene, tellUntil }) =>
      Effect.gen(function* () {
        const { accountId, becomes, bot, bots, reaches } = scene
        yield* bots.command(accountId, bot.id, "start")
        yield* becomes("running")
        for (const deed of deeds) {
          if (typeof deed === "number") {
            yield* tellUntil(deed)
            yield* reaches(deed - 1)
          } else if (typeof deed === "object") {
            exchange.lacking = deed.lacking
            yield* bots.reconcile(accountId, bot.id)
          } else if (deed === "resume") yield* bots.resumeRisk(accountId, bot.id)
          else if (deed === "halt") yield* bots.haltAll(accountId)
          else if (deed === "resumeAll") yield* bots.resumeAll(accountId)
          else {
            const { trading_state_reason } = yield* bots.status(accountId, bot.id)
            assert.strictEqual(trading_state_reason, deed)
          }
        }
      }),
    { risk: limits }
  )

/** Bought at 1,000 a piece, ten lose 1 % of 10,000 when the price falls by 10. */
const falling = [99, 1_000, 1_000, 985, 930, 930]
/** The same fall in steps, the second of which comes on the next day. */
const overnight = [99, 1_000, 1_000, 985, ...Array.from({ length: 22 }, () => 985)]

const gates: ReadonlyArray<Story> = [
  {
    title: "a bot that loses a day's limit stops entering until the next day",
    takes: ["trading state: none on loss", "trading state: daily_loss on next_day"],
    tell: gateOf(overnight, risk, 4, "daily_loss", 26, "none")
  },
  {
    title: "a bot that lost a day's limit is resumed by hand",
    takes: ["trading state: daily_loss on resume"],
    tell: gateOf(falling, risk, 4, "daily_loss", "resume", "none")
  },
  {
    title: "a bot that loses on is halted, and resumed by hand",
    takes: ["trading state: daily_loss on drawdown", "trading state: max_drawdown on resume"],
    tell: gateOf(falling, risk, 4, "daily_loss", 5, "max_drawdown", "resume", "none")
  },
  {
    title: "a bot that loses too much at once is halted",
    takes: ["trading state: none on drawdown"],
    tell: gateOf(falling, { ...risk, daily_loss: 1 }, 5, "max_drawdown")
  },
  {
    title: "a bot that differs from its exchange is halted until it does not",
    takes: [
      "trading state: none on mismatch",
      "trading state: reconcile_mismatch on mismatch",
      "trading state: reconcile_mismatch on match"
    ],
    tell: gateOf(
      falling,
      risk,
      ...([2, { lacking: 100 }, "reconcile_mismatch", { lacking: 200 }] as const),
      ...(["reconcile_mismatch", { lacking: 0 }, "none"] as const)
    )
  },
  {
    title: "a day's loss is forgotten when a mismatch ends",
    takes: ["trading state: daily_loss on mismatch"],
    tell: gateOf(
      falling,
      risk,
      ...([
        4,
        "daily_loss",
        { lacking: 100 },
        "reconcile_mismatch",
        { lacking: 0 },
        "none"
      ] as const)
    )
  },
  {
    title: "a halt for a drawdown goes on when a mismatch ends",
    takes: [
      "trading state: max_drawdown on mismatch",
      "trading state: reconcile_mismatch on match_after_drawdown"
    ],
    tell: gateOf(
      falling,
      risk,
      ...([5, "max_drawdown", { lacking: 100 }, "reconcile_mismatch"] as const),
      ...([{ lacking: 0 }, "max_drawdown"] as const)
    )
  },
  {
    title: "an account is halted and resumed, over the gates of its bots",
    takes: ["kill switch: off on halt", "kill switch: on on resume"],
    tell: gateOf(falling, risk, 4, "halt", "resumeAll", "daily_loss")
  }
]

describe("bots", () => {
  tellStories([BotMachine], bots)
})

describe("orders", () => {
  tellStories([OrderMachine], orders)
})

describe("trading states", () => {
  tellStories([TradingStateMachine, KillSwitchMachine], gates)
})
