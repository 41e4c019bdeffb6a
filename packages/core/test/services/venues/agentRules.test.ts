/**
 * The pure decisions of an exchange account's agent: the next order, the permission to send it, the
 * proof of its absence, and the bounds.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Leg } from "@candlewick/engine/kernel"
import { makeRandom } from "@candlewick/engine/kernel"
import {
  type AccountBook,
  allocate,
  bookBotTrade,
  emptyAccountBook
} from "../../../src/domain/AccountBook.ts"
import type { OrderAttempt } from "../../../src/domain/VenueAccount.ts"
import {
  brokenBound,
  emptyBounds,
  isRateReached,
  noteAllocation,
  noteEquities,
  notePrice,
  noteRequest
} from "../../../src/services/venues/agent/accountBounds.ts"
import { sendingWork } from "../../../src/services/venues/agent/attemptWork.ts"
import type { AttemptContext } from "../../../src/services/venues/agent/attemptVerdict.ts"
import { judgeAttempt } from "../../../src/services/venues/agent/judgeAttempt.ts"
import { judgeMiss } from "../../../src/services/venues/agent/timeFence.ts"
import {
  afterPassed,
  refusalOfTerms,
  toPrice,
  toQuantity
} from "../../../src/services/venues/agent/writeAttempts.ts"
import { orderAttemptRecord, tradeFactRecord } from "../../../src/testing/venueRecords.ts"

const nowMs = Date.UTC(2026, 0, 15, 9, 30)

const attemptOf = (
  fields: Partial<OrderAttempt> = {},
  order: Partial<OrderAttempt["order"]> = {}
) =>
  orderAttemptRecord({
    written_at_ms: nowMs,
    reference_price: "100",
    ...fields,
    order: { ...orderAttemptRecord().order, quantity: "1", ...order }
  })

const own = attemptOf()
const other = attemptOf()
const bots = allocate(
  allocate(emptyAccountBook, own.bot_id, "USDT", "1000"),
  other.bot_id,
  "USDT",
  "1000"
)

const bought = (book: AccountBook, { bot_id }: OrderAttempt, kind: "spot" | "one_way" = "spot") =>
  bookBotTrade(
    book,
    bot_id,
    tradeFactRecord({ side: "buy", quantity: "2", price: "100", fee_amount: "0" }),
    kind
  )

const contextOf = (fields: Partial<AttemptContext> = {}): AttemptContext => ({
  book: bots,
  memory: notePrice(emptyBounds, "BTC/USDT", 100),
  limits: {},
  open: [],
  nowMs,
  kind: "spot",
  outsideOf: () => 0,
  lacking: 0,
  mayOverlap: false,
  canShareQuantity: false,
  order: { status: "submitted", reason: null },
  bot: { status: "running", trading_state: "active", timeframe: "1h" },
  isHalted: false,
  overtakenBy: null,
  hasLostExit: false,
  lotRest: null,
  ...fields
})

const verdictOf = (attempt: OrderAttempt, fields?: Partial<AttemptContext>): string => {
  const verdict = judgeAttempt(attempt, contextOf(fields))
  return verdict.type === "end" ? `${verdict.outcome}: ${verdict.why.split(":")[0]!}` : verdict.type
}

describe("the sender's work", () => {
  it("takes back first, cancels and leaves before it enters, and asks for nothing unknown", () => {
    const lapses = { state: "working", cancels_at_ms: nowMs } as const
    const attempts = [
      attemptOf({ id: "entry 1" }),
      attemptOf({ id: "unknown", state: "unknown" }),
      attemptOf({ id: "working", state: "working" }),
      attemptOf({ id: "exit 1", leg: "exit" }),
      attemptOf({ id: "unwanted", state: "working", is_cancel_wanted: true }),
      attemptOf({ id: "stop", leg: "stop_loss" }),
      attemptOf({ id: "entry 2" }),
      attemptOf({ id: "sending", state: "sending", is_cancel_wanted: true }),
      attemptOf({ id: "unsent", is_cancel_wanted: true }),
      attemptOf({ id: "lapsed", ...lapses }),
      attemptOf({ id: "lapses next", ...lapses, cancels_at_ms: nowMs + 1 }),
      attemptOf({ id: "lapsed at its venue", state: "working" }, { expires_at_ms: nowMs })
    ]
    const work = sendingWork(attempts, nowMs)
    assert.deepStrictEqual(
      work.map(({ attempt, type }) => `${type} ${attempt.id}`),
      [
        "withdraw unsent",
        "cancel unwanted",
        "cancel lapsed",
        "send exit 1",
        "send stop",
        "send entry 1",
        "send entry 2"
      ]
    )
  })
})

describe("the time fence", () => {
  const windows = { windowMs: 5_000, readLagMs: 1_000 }
  const sent = { sent_at_ms: 1_000, miss_count: 0 }
  const fence = 1_000 + 5_000 + 10_000 + 1_000
  const judge = (askedAtMs: number, lastMissAtMs: number | null, missCount = 0, terms = windows) =>
    judgeMiss({ askedAtMs, lastMissAtMs, attempt: { ...sent, miss_count: missCount } }, terms)

  it("counts no miss until window, engine and read lag have passed", () => {
    assert.strictEqual(judge(fence, null), "too_early")
    assert.strictEqual(judge(fence + 1, null), "first")
  })

  it("asks for two misses, two seconds apart", () => {
    assert.strictEqual(judge(fence + 2_000, fence + 1, 1), "too_soon")
    assert.strictEqual(judge(fence + 2_001, fence + 1, 1), "absent")
  })

  it("begins anew in a process that has not asked before", () => {
    assert.strictEqual(judge(fence + 60_000, null, 1), "first")
  })

  it("proves nothing without a window", () => {
    const terms = { ...windows, windowMs: null }
    const late = fence + 60_000
    assert.strictEqual(
      judgeMiss(
        { askedAtMs: late, lastMissAtMs: fence, attempt: { ...sent, miss_count: 1 } },
        terms
      ),
      "given_up"
    )
  })
})

describe("a written attempt", () => {
  it("is sent where nothing speaks against it", () => {
    assert.strictEqual(verdictOf(own), "send")
  })

  it("is over where its bot does not want it any more", () => {
    for (const order of [null, { status: "cancelled" as const, reason: null }]) {
      assert.strictEqual(verdictOf(own, { order }), "cancelled: the order is no longer wanted")
    }
  })

  it("opens nothing for a bot that is paused, gated or halted, and leaves all the same", () => {
    const bot = contextOf().bot!
    const cases: ReadonlyArray<Partial<AttemptContext>> = [
      { bot: null },
      { bot: { ...bot, status: "paused" } },
      { bot: { ...bot, trading_state: "reducing" } },
      { isHalted: true }
    ]
    for (const fields of cases) {
      assert.include(verdictOf(own, fields), "cancelled")
      assert.strictEqual(verdictOf({ ...own, leg: "exit" }, fields), "send")
    }
  })

  it("opens nothing by a decision that is older than a candle", () => {
    assert.strictEqual(verdictOf(own, { nowMs: nowMs + 3_600_000 }), "send")
    assert.include(verdictOf(own, { nowMs: nowMs + 3_600_001 }), "expired")
    assert.strictEqual(verdictOf({ ...own, leg: "exit" }, { nowMs: nowMs + 1e9 }), "send")
  })

  it("waits while an order of its market has an unknown outcome", () => {
    const unknown = attemptOf({ state: "unknown" })
    assert.strictEqual(verdictOf(own, { open: [unknown] }), "wait")
    assert.strictEqual(verdictOf({ ...own, leg: "exit" }, { open: [unknown] }), "send")
    const elsewhere = attemptOf({ state: "unknown" }, { symbol: "ETH/USDT" })
    assert.strictEqual(verdictOf(own, { open: [elsewhere] }), "send")
  })

  it("spends no more than its bot has, open entries included", () => {
    const dear = attemptOf({ bot_id: own.bot_id }, { quantity: "6" })
    assert.strictEqual(verdictOf(dear), "send")
    const live = { ...dear, id: "live", state: "working" as const }
    assert.include(verdictOf(dear, { open: [live] }), "rejected: allocation")
    assert.strictEqual(verdictOf(dear, { open: [{ ...live, bot_id: other.bot_id }] }), "send")
  })

  it("waits for an exit of its own bot, which leaves the position or pays for the entry", () => {
    const entry = attemptOf({ id: "entry" }, { quantity: "9" })
    const exitOf = (fields: Partial<OrderAttempt>, order: Partial<OrderAttempt["order"]> = {}) =>
      attemptOf(
        { id: "exit", bot_id: entry.bot_id, leg: "exit", ...fields },
        { side: "sell", type: "market", ...order }
      )
    const book = bought(allocate(emptyAccountBook, entry.bot_id, "USDT", "1000"), entry)
    const verdicts = [
      exitOf({}),
      exitOf({ state: "working" }),
      exitOf({ state: "given_up" }),
      exitOf({ state: "working" }, { type: "limit" }),
      exitOf({}, { symbol: "ETH/USDT" }),
      exitOf({ bot_id: other.bot_id })
    ].map((exit) => verdictOf(entry, { book, open: [exit] }))
    const refused = "rejected: allocation"
    assert.deepStrictEqual(verdicts, ["wait", "wait", refused, refused, "wait", refused])
    const small = { ...entry, order: { ...entry.order, quantity: "1" } }
    assert.strictEqual(
      verdictOf(small, { book, open: [exitOf({}, { symbol: "ETH/USDT" })] }),
      "send"
    )
    const elsewhere = { symbol: "ETH/USDT", limit_price: "90", type: "limit", side: "buy" } as const
    const leftOver = exitOf({ leg: "entry", state: "working" }, elsewhere)
    assert.strictEqual(verdictOf(entry, { book, open: [leftOver] }), refused)
    const takenBack = { ...leftOver, is_cancel_wanted: true }
    assert.strictEqual(verdictOf(entry, { book, open: [takenBack] }), "wait")
    const beside = { book, open: [exitOf({ state: "working" })] }
    assert.strictEqual(verdictOf(small, beside), "wait")
    assert.strictEqual(verdictOf(small, { ...beside, kind: "one_way" }), "wait")
  })

  it("sells no coins of another bot", () => {
    const exit = attemptOf({ bot_id: own.bot_id, leg: "exit" }, { side: "sell" })
    const book = bought(bots, other)
    assert.include(verdictOf(exit, { book }), "rejected: exceeds_holdings")
    assert.strictEqual(verdictOf(exit, { book: bought(book, own) }), "send")
    assert.strictEqual(verdictOf(exit, { book: bought(bots, own) }), "send")
    const sale = { type: "market" as const, side: "sell" as const, quantity: "2" }
    const beside = attemptOf({ bot_id: own.bot_id, leg: "exit", state: "working" }, sale)
    const held = { book: bought(bots, own), open: [beside] }
    assert.include(verdictOf(exit, held), "rejected: exceeds_holdings")
    const sold = [{ ...beside, filled_quantity: "2" }]
    assert.strictEqual(verdictOf(exit, { ...held, open: sold }), "send")
  })

  it("closes no more than the bot holds where another one holds the same market", () => {
    const exit = attemptOf({ bot_id: own.bot_id, leg: "exit" }, { side: "sell", quantity: "3" })
    const netted = { kind: "one_way" as const, book: bought(bots, own, "one_way") }
    assert.include(verdictOf(exit, netted), "rejected: exceeds_holdings")
    assert.strictEqual(verdictOf(exit, { ...netted, mayOverlap: true }), "send")
    const whole = attemptOf({ bot_id: own.bot_id, leg: "exit" }, { side: "sell", quantity: "2" })
    assert.strictEqual(verdictOf(whole, netted), "send")
  })

  it("ties up no more margin than the bot's allocation leaves where positions are netted", () => {
    const entry = (quantity: string, leverage: number) =>
      attemptOf({ bot_id: own.bot_id, leverages: { "BTC/USDT": leverage } }, { quantity })
    const netted = { kind: "one_way" as const }
    assert.strictEqual(verdictOf(entry("10", 1), netted), "send")
    assert.strictEqual(verdictOf(entry("10.1", 1), netted), "rejected: allocation")
    assert.strictEqual(verdictOf(entry("50", 5), netted), "send")
    assert.strictEqual(verdictOf(entry("50.1", 5), netted), "rejected: allocation")
    // 2 are held at 100, and 3 may come to be: 900 are left of 1 000 at twice the margin, then 750.
    const held = { ...netted, book: bought(bots, own, "one_way") }
    assert.strictEqual(verdictOf(entry("18", 2), held), "send")
    assert.strictEqual(verdictOf(entry("18.1", 2), held), "rejected: allocation")
    const open = [{ ...entry("3", 2), state: "working" as const }]
    assert.strictEqual(verdictOf(entry("15", 2), { ...held, open }), "send")
    assert.strictEqual(verdictOf(entry("15.1", 2), { ...held, open }), "rejected: allocation")
    // A loss is no money to enter with.
    const memory = notePrice(emptyBounds, "BTC/USDT", 50)
    assert.strictEqual(verdictOf(entry("18", 2), { ...held, memory }), "rejected: allocation")
  })

  it("goes the way of the bot that has a market where positions are netted", () => {
    const short = attemptOf({ bot_id: own.bot_id }, { side: "sell" })
    const held = { kind: "one_way" as const, book: bought(bots, other, "one_way") }
    assert.include(verdictOf(short, held), "rejected: market_taken")
    assert.strictEqual(verdictOf(own, held), "send")
    const coming = { kind: "one_way" as const, open: [{ ...other, state: "sending" as const }] }
    assert.include(
      verdictOf(short, { ...coming, open: [{ ...other, state: "working" }] }),
      "market_taken"
    )
  })
})

describe("an entry that turns a position, where positions are netted", () => {
  const netted = { kind: "one_way" as const, book: bought(bots, own, "one_way") }
  const short = attemptOf({ bot_id: own.bot_id }, { side: "sell" })
  const exit = attemptOf(
    { bot_id: own.bot_id, leg: "exit", state: "working" },
    { side: "sell", type: "market", quantity: "2" }
  )

  it("waits for the exit of the position, which would find nothing to reduce", () => {
    for (const state of ["written", "working"] as const) {
      assert.strictEqual(verdictOf(short, { ...netted, open: [{ ...exit, state }] }), "wait")
    }
    const stop = { ...exit, order: { ...exit.order, type: "stop" as const, stop_price: "90" } }
    const open = [stop]
    assert.strictEqual(verdictOf(short, { ...netted, book: bots, open }), "send")
  })

  it("waits for an entry the other way that is being taken back, and may fill still", () => {
    const long = attemptOf({ bot_id: own.bot_id, state: "working" }, { quantity: "3" })
    const open = [{ ...long, is_cancel_wanted: true }]
    assert.strictEqual(verdictOf(short, { kind: "one_way", open }), "wait")
    const unsent = [{ ...long, is_cancel_wanted: true, state: "written" as const }]
    assert.strictEqual(verdictOf(short, { kind: "one_way", open: unsent }), "send")
    const lost = [{ ...long, is_cancel_wanted: true, state: "given_up" as const }]
    assert.strictEqual(verdictOf(short, { kind: "one_way", open: lost }), "send")
  })

  it("ends where the bot holds the other way, and nothing closes that", () => {
    assert.include(verdictOf(short, netted), "cancelled")
    assert.strictEqual(verdictOf(attemptOf({ bot_id: own.bot_id }), netted), "send")
  })
})

describe("bounds of an exchange account", () => {
  const bounded = (fields: Partial<AttemptContext>) => {
    const broken = brokenBound(own, contextOf(fields))
    return broken === null ? null : broken.split(":")[0]
  }

  it("bound the notional of an entry", () => {
    assert.isNull(bounded({ limits: { orderNotionalMax: 100 } }))
    assert.strictEqual(bounded({ limits: { orderNotionalMax: 99 } }), "max_order_notional")
  })

  it("bound what bots hold and may come to hold, of which unknown orders are part", () => {
    const limits = { exposureMax: 0.14 }
    assert.isNull(bounded({ limits }))
    assert.strictEqual(bounded({ limits, book: bought(bots, other) }), "max_exposure")
    for (const state of ["sending", "unknown", "working", "given_up"] as const) {
      const open = [attemptOf({ state }, { quantity: "2.5" })]
      assert.strictEqual(bounded({ limits, open }), "max_exposure", state)
    }
    assert.isNull(bounded({ limits, open: [attemptOf({}, { quantity: "2.5" })] }))
  })

  it("bound the fall from the peak and the loss of a day, whatever money comes and goes", () => {
    const book = bought(bots, other)
    const memory = noteEquities(notePrice(emptyBounds, "BTC/USDT", 100), book, nowMs)
    const fallen = notePrice(memory, "BTC/USDT", 0)
    assert.strictEqual(
      bounded({ limits: { drawdownMax: 0.1 }, book, memory: fallen }),
      "max_drawdown"
    )
    assert.isNull(bounded({ limits: { drawdownMax: 0.11 }, book, memory: fallen }))
    assert.strictEqual(
      bounded({ limits: { dailyLossMax: 0.1 }, book, memory: fallen }),
      "max_daily_loss"
    )
    const tomorrow = { limits: { dailyLossMax: 0.1 }, book, nowMs: nowMs + 86_400_000 }
    assert.isNull(bounded({ ...tomorrow, memory: noteEquities(fallen, book, nowMs) }))
    // A fall overnight is a loss of the day that begins.
    assert.strictEqual(bounded({ ...tomorrow, memory: fallen }), "max_daily_loss")
    const richer = { ...book, bots: allocate(book, own.bot_id, "USDT", "3000").bots }
    const told = noteAllocation(fallen, "USDT", 2_000)
    assert.isNull(bounded({ limits: { drawdownMax: 0.1 }, book: richer, memory: told }))
  })

  it("let nothing through that can't be valued", () => {
    const book = bought(bots, other)
    const unpriced = { limits: { drawdownMax: 0.5 }, book, memory: emptyBounds }
    assert.strictEqual(bounded(unpriced), "no_price")
  })

  it("bound the requests of any minute, and hold back entries alone", () => {
    const limits = { ordersPerMinuteMax: 2 }
    const memory = noteRequest(noteRequest(emptyBounds, nowMs - 59_999), nowMs)
    assert.isTrue(isRateReached(contextOf({ limits, memory })))
    assert.isFalse(isRateReached(contextOf({ limits, memory, nowMs: nowMs + 1 })))
    assert.strictEqual(verdictOf(own, { limits, memory }), "wait")
    assert.strictEqual(verdictOf({ ...own, leg: "exit" }, { limits, memory }), "send")
  })
})

describe("an order in the words of a venue", () => {
  it("has quantities rounded down, whatever doubles make of a step", () => {
    assert.strictEqual(toQuantity(0.1 + 0.2, "0.1"), "0.3")
    assert.strictEqual(toQuantity(0.3 - 0.1, "0.1"), "0.2")
    assert.strictEqual(toQuantity(0.299, "0.1"), "0.2")
    assert.strictEqual(toQuantity(0.09, "0.1"), "0")
    assert.strictEqual(toQuantity(1e-8, "0.00000001"), "0.00000001")
  })

  it("keeps whole numbers of steps as they are", () => {
    const random = makeRandom("steps")
    for (let draw = 0; draw < 1_000; draw++) {
      const count = random.integer(1, 1_000_000)
      const [step, text] = random.pick([
        [0.001, "0.001"],
        [0.00001, "0.00001"],
        [0.25, "0.25"],
        [10, "10"]
      ] as const)
      assert.strictEqual(Number(toQuantity(count * step, text)), Number((count * step).toFixed(5)))
      assert.strictEqual(Number(toPrice(count * step, text)), Number((count * step).toFixed(5)))
    }
  })

  it("has prices at the nearest step", () => {
    assert.strictEqual(toPrice(100.004, "0.01"), "100")
    assert.strictEqual(toPrice(100.006, "0.01"), "100.01")
  })

  it("enters at once where the last close has passed its stop, and rests otherwise", () => {
    const placed = (
      side: 1 | -1,
      {
        close,
        leg = "entry",
        limit = null
      }: { close: number | null; leg?: Leg; limit?: number | null }
    ) => {
      const type = limit === null ? "stop" : "stop_limit"
      const decided = { id: "entry", side, type, quantity: 1, limit, stop: 100, leg } as const
      const order = afterPassed(decided, close)
      return [order.type, order.stop, order.limit]
    }
    assert.deepStrictEqual(placed(1, { close: 99 }), ["stop", 100, null])
    assert.deepStrictEqual(placed(1, { close: 100 }), ["market", null, null])
    assert.deepStrictEqual(placed(-1, { close: 101 }), ["stop", 100, null])
    assert.deepStrictEqual(placed(-1, { close: 100 }), ["market", null, null])
    assert.deepStrictEqual(placed(1, { close: 105, limit: 101 }), ["limit", null, 101])
    assert.deepStrictEqual(placed(1, { close: 99, limit: 101 }), ["stop_limit", 100, 101])
    // The bot watches its exits itself, and knows no price before its first close.
    assert.deepStrictEqual(placed(1, { close: 105, leg: "exit" }), ["stop", 100, null])
    assert.deepStrictEqual(placed(1, { close: null }), ["stop", 100, null])
  })

  it("is refused before it is written where the venue would refuse it", () => {
    const market = {
      symbol: "BTC/USDT",
      base: "BTC",
      quote: "USDT",
      quantityStep: "0.001",
      priceStep: "0.01",
      minQuantity: "0.01",
      minNotional: "5"
    }
    const refusal = (order: Partial<OrderAttempt["order"]>, hasStops = true) =>
      refusalOfTerms({ ...own.order, ...order }, market, { hasStops }, "100")
    assert.isNull(refusal({ quantity: "0.05" }))
    assert.include(refusal({ quantity: "0" }), "one step")
    assert.include(refusal({ quantity: "0.009" }), "minimum of 0.01")
    assert.include(refusal({ quantity: "0.049" }), "minimum of 5")
    assert.isNull(refusal({ quantity: "0.049", limit_price: "103" }))
    assert.include(refusal({ quantity: "1", stop_price: "90" }, false), "no stop orders")
  })
})
