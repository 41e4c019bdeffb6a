/**
 * The conditions under which a written order goes to an exchange, case by case. Each condition has
 * an order that meets it, and one that misses it by a single field.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type AccountBook,
  adjust,
  allocate,
  bookBotTrade,
  emptyAccountBook
} from "../../../src/domain/AccountBook.ts"
import type { OrderAttempt } from "../../../src/domain/VenueAccount.ts"
import {
  emptyBounds,
  notePrice,
  noteRequest
} from "../../../src/services/venues/agent/accountBounds.ts"
import type { AttemptContext } from "../../../src/services/venues/agent/attemptVerdict.ts"
import { judgeAttempt } from "../../../src/services/venues/agent/judgeAttempt.ts"
import { orderAttemptRecord, tradeFactRecord } from "../../../src/testing/venueRecords.ts"

const nowMs = Date.UTC(2026, 0, 15, 9, 30)

type Fields = Partial<Omit<OrderAttempt, "order">> & {
  readonly order?: Partial<OrderAttempt["order"]>
}

const attemptOf = ({ order, ...fields }: Fields = {}): OrderAttempt =>
  orderAttemptRecord({
    written_at_ms: nowMs,
    reference_price: "100",
    ...fields,
    order: { ...orderAttemptRecord().order, quantity: "1", ...order }
  })

const { bot_id: own } = attemptOf()
const { bot_id: other } = attemptOf()
const symbol = "BTC/USDT"
const elsewhere = "ETH/USDT"

const bots = allocate(allocate(emptyAccountBook, own, "USDT", "1000"), other, "USDT", "1000")

/** Both bots, of which one has traded two coins at 100. */
const traded = (
  botId: string,
  side: "buy" | "sell",
  kind: "spot" | "one_way",
  book: AccountBook = bots
): AccountBook =>
  bookBotTrade(
    book,
    botId,
    tradeFactRecord({ side, quantity: "2", price: "100", fee_amount: "0" }),
    kind
  )

const contextOf = (fields: Partial<AttemptContext>): AttemptContext => ({
  book: bots,
  memory: notePrice(notePrice(emptyBounds, symbol, 100), elsewhere, 100),
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

const verdict = (attempt: OrderAttempt, fields: Partial<AttemptContext> = {}): string => {
  const found = judgeAttempt(attempt, contextOf(fields))
  return found.type === "send" ? "send" : `${found.type}: ${found.why.split(/[:,]/)[0]!}`
}

/** Each change of an order that is alike alone makes another verdict of it. */
const eachAlone = (
  alike: OrderAttempt,
  changes: ReadonlyArray<Fields>,
  verdictBeside: (one: OrderAttempt) => string,
  wanted: string,
  otherwise = "send"
): void => {
  assert.strictEqual(verdictBeside(alike), wanted)
  for (const { order, ...fields } of changes) {
    const changed = { ...alike, ...fields, order: { ...alike.order, ...order } }
    assert.strictEqual(verdictBeside(changed), otherwise, JSON.stringify({ ...fields, order }))
  }
}

const terms = {
  fee_rate: 0.01,
  fee_per_fill: 0,
  slippage_rate: 0,
  quantity_step: "0.1",
  price_step: "1",
  min_quantity: "0.1",
  min_notional: "5"
}
const entry = attemptOf({ bot_id: own })
const sale = attemptOf({ bot_id: own, leg: "exit", order: { side: "sell", type: "market" } })
const reference = { state: "working", id: "beside" } as const

describe("an order with a time", () => {
  it("is sent before that time, and neither at it nor after it", () => {
    for (const leg of ["entry", "exit"] as const) {
      const order = attemptOf({ bot_id: own, leg })
      const inTime = [
        { ...order, cancels_at_ms: nowMs + 1 },
        { ...order, order: { ...order.order, expires_at_ms: nowMs + 1 } }
      ]
      for (const one of inTime) {
        assert.strictEqual(verdict(one), "send")
        for (const ms of [1, 60_000]) {
          assert.deepStrictEqual(judgeAttempt(one, contextOf({ nowMs: nowMs + ms })), {
            type: "end",
            outcome: "expired",
            why: "its time is over"
          })
        }
      }
    }
  })
})

describe("an entry on spot", () => {
  it("costs as much as its bot has left, and not more", () => {
    const dear = (quantity: string) => attemptOf({ bot_id: own, order: { quantity } })
    assert.strictEqual(verdict(dear("10")), "send")
    assert.strictEqual(verdict(dear("10.000000005")), "send", "rounding is no cost")
    assert.strictEqual(verdict(dear("10.0001")), "end: allocation")
    // A sale that opens brings cash: on spot it costs none.
    const short = attemptOf({ bot_id: own, order: { side: "sell", quantity: "11" } })
    assert.strictEqual(verdict(short), "send")
  })

  it("is cut down to the money of its bot, as far as its order may be", () => {
    const cutTo = (fields: Fields, context: Partial<AttemptContext> = {}) => {
      const attempt = attemptOf({ bot_id: own, terms, ...fields })
      const found = judgeAttempt(attempt, contextOf(context))
      if (found.type !== "send") return `${found.type}: ${found.why.split(/[:,]/)[0]!}`
      const { limit_price: limit, quantity } = (found.as ?? attempt).order
      return limit === null ? quantity : `${quantity} up to ${limit}`
    }
    assert.strictEqual(cutTo({ order: { quantity: "20" } }), "9.9 up to 100")
    assert.strictEqual(cutTo({ order: { quantity: "9.9" } }), "9.9 up to 100")
    // A limit is the price that it costs at most, and no room is left for slippage.
    const limit = { type: "limit", limit_price: "100" } as const
    assert.strictEqual(cutTo({ order: { quantity: "20", ...limit } }), "9.9 up to 100")
    const slips = { terms: { ...terms, slippage_rate: 0.01 } }
    assert.strictEqual(cutTo({ order: { quantity: "20" }, ...slips }), "9.8 up to 101")
    assert.strictEqual(cutTo({ order: { quantity: "20", ...limit }, ...slips }), "9.9 up to 100")
    const least = { terms: { ...terms, min_quantity: "9.95" } }
    assert.strictEqual(cutTo({ order: { quantity: "20" }, ...least }), "end: allocation")
    const worth = { terms: { ...terms, min_notional: "995" } }
    assert.strictEqual(cutTo({ order: { quantity: "20" }, ...worth }), "end: allocation")
    const group = { group: "either" }
    assert.strictEqual(cutTo({ order: { quantity: "10", ...limit }, ...group }), "9.9 up to 100")
    assert.strictEqual(cutTo({ order: { quantity: "12", ...limit }, ...group }), "end: allocation")
    const leaving = { ...sale, bot_id: own, order: { ...sale.order, symbol: elsewhere } }
    assert.strictEqual(
      cutTo({ order: { quantity: "20" } }, { open: [leaving] }),
      "wait: an order of the bot frees its money first"
    )
    const netted = { kind: "one_way" } as const
    assert.strictEqual(cutTo({ order: { quantity: "20" } }, netted), "9.9")
    const threefold = { leverages: { [symbol]: 3 } }
    const short = {
      side: "sell",
      type: "stop_limit",
      stop_price: "100",
      limit_price: "80"
    } as const
    assert.strictEqual(cutTo({ order: { quantity: "20", ...short } }, netted), "9.9 up to 80")
    // No leverage makes its fee of a hundredth smaller.
    assert.strictEqual(cutTo({ order: { quantity: "40" }, ...threefold }, netted), "29.1")
  })

  it("leaves what its bot owes in other coins, as far as they have a price", () => {
    const book = adjust(bots, own, { name: "BNB", isPosition: false }, "-0.5")
    const asked = (memory: AttemptContext["memory"], kind: "spot" | "one_way") => {
      const attempt = attemptOf({ bot_id: own, terms, order: { quantity: "20" } })
      const found = judgeAttempt(attempt, contextOf({ book, memory, kind }))
      return found.type === "send" ? (found.as ?? attempt).order.quantity : found.why
    }
    const known = notePrice(emptyBounds, symbol, 100)
    for (const kind of ["spot", "one_way"] as const) {
      assert.strictEqual(asked(known, kind), "9.9")
      assert.strictEqual(asked(notePrice(known, "BNB/USDT", 200), kind), "8.9")
    }
  })

  it("names an entry without an outcome that may take the money still", () => {
    const lost = attemptOf({ bot_id: own, state: "given_up", order: { quantity: "10" } })
    const found = judgeAttempt(entry, contextOf({ open: [{ ...lost, id: "lost" }] }))
    const beside = `${lost.client_order_id} may still fill until its owner reconciles`
    const why = `allocation: the order costs more than the bot has left; ${beside}`
    assert.deepStrictEqual(found, { type: "end", outcome: "rejected", why })
  })

  it("that waited for too long says for what", () => {
    const order = { status: "submitted", reason: "an exit of the bot goes first" } as const
    const found = judgeAttempt(entry, contextOf({ nowMs: nowMs + 3_600_001, order }))
    const why = "the decision is older than one candle: an exit of the bot goes first"
    assert.deepStrictEqual(found, { type: "end", outcome: "expired", why })
  })

  it("counts live entries of its own bot as spent", () => {
    const big = attemptOf({ bot_id: own, order: { quantity: "6" } })
    eachAlone(
      { ...big, ...reference },
      [{ bot_id: other }, { leg: "exit", order: { type: "limit" } }, { state: "written" }],
      (one) => verdict(big, { open: [one] }),
      "end: allocation"
    )
  })

  it("waits for an unknown outcome in its market, sent or being sent", () => {
    eachAlone(
      { ...entry, ...reference, state: "unknown" },
      [{ order: { symbol: elsewhere } }, { state: "working" }, { state: "written" }],
      (one) => verdict(entry, { open: [one] }),
      "wait: an order of the market has an unknown outcome"
    )
    const sending = { ...entry, ...reference, state: "sending" as const }
    assert.include(verdict(entry, { open: [sending] }), "wait")
  })

  it("is ended by a bound of the account, and held back by its rate", () => {
    assert.strictEqual(
      verdict(entry, { limits: { orderNotionalMax: 99 } }),
      "end: max_order_notional"
    )
    const memory = noteRequest(emptyBounds, nowMs)
    assert.include(verdict(entry, { limits: { ordersPerMinuteMax: 1 }, memory }), "wait")
  })
})

describe("an entry after one that its bot took back", () => {
  const takenBack = { ...entry, ...reference, is_cancel_wanted: true }

  it("waits until that one is over, on both sides and at both kinds of exchange", () => {
    for (const kind of ["spot", "one_way"] as const) {
      for (const side of ["buy", "sell"] as const) {
        const next = attemptOf({ bot_id: own, order: { side } })
        eachAlone(
          takenBack,
          [
            { leg: "take_profit", order: { type: "limit" } },
            { state: "given_up" },
            { state: "written" },
            { order: { symbol: elsewhere } }
          ],
          (one) => verdict(next, { kind, open: [one] }),
          "wait: an entry of the bot is being taken back"
        )
      }
    }
    const beside = [
      { ...takenBack, is_cancel_wanted: false },
      { ...takenBack, bot_id: other }
    ]
    for (const one of beside) assert.strictEqual(verdict(entry, { open: [one] }), "send")
  })

  it("ends where that one has filled since the decision, and leaves exits alone", () => {
    const overtaken = "end: an entry that the bot took back has filled"
    assert.strictEqual(verdict(entry, { overtakenBy: "taken_back" }), overtaken)
    const book = traded(own, "buy", "spot")
    assert.strictEqual(verdict(sale, { overtakenBy: "taken_back", book }), "send")
  })
})

describe("an entry of a group", () => {
  it("ends where another of the group has filled, also while that is taken back", () => {
    const takenBack = { ...entry, ...reference, is_cancel_wanted: true }
    const ended = "end: another of its group was filled"
    for (const kind of ["spot", "one_way"] as const) {
      assert.strictEqual(verdict(entry, { kind, overtakenBy: "group" }), ended)
      assert.strictEqual(verdict(entry, { kind, overtakenBy: "group", open: [takenBack] }), ended)
    }
  })
})

describe("an exit on spot", () => {
  const held = { book: traded(own, "buy", "spot") }

  it("sells what its bot has, and not more", () => {
    const selling = (quantity: string) => ({ ...sale, order: { ...sale.order, quantity } })
    assert.strictEqual(verdict(selling("2"), held), "send")
    assert.strictEqual(verdict(selling("2.000000001"), held), "send", "rounding is nothing more")
    assert.strictEqual(verdict(selling("2.001"), held), "end: exceeds_holdings")
    assert.strictEqual(verdict(selling("1")), "end: exceeds_holdings")
  })

  it("that buys closes nothing on spot", () => {
    assert.strictEqual(verdict({ ...sale, order: { ...sale.order, side: "buy" } }), "send")
  })

  it("counts what other exits of its bot at the market are closing", () => {
    const two = { ...sale, order: { ...sale.order, quantity: "2" } }
    eachAlone(
      { ...sale, ...reference },
      [
        { bot_id: other },
        { id: two.id },
        { leg: "entry" },
        { order: { type: "stop", stop_price: "90" } },
        { order: { symbol: elsewhere } },
        { order: { side: "buy" } },
        { state: "written" },
        { filled_quantity: "1" }
      ],
      (one) => verdict(two, { ...held, open: [one] }),
      "end: exceeds_holdings"
    )
  })

  it("that rests goes as its bot has cut it, and waits until its bot cuts it where less is held", () => {
    const order = { ...sale.order, type: "stop", stop_price: "90", quantity: "2" } as const
    const decided_order = { ...order, quantity: "3" }
    const waits = "wait: its bot books an exit first"
    assert.strictEqual(verdict({ ...sale, order, decided_order }, held), "send")
    assert.strictEqual(verdict({ ...sale, order: decided_order }, held), waits)
    const protective = { ...sale, leg: "stop_loss", order: decided_order } as const
    assert.strictEqual(verdict(protective, held), "end: exceeds_holdings", "it is planned anew")
  })

  it("waits for a person to answer where one before it has an unknown outcome", () => {
    const lost = { ...sale, ...reference, state: "given_up" as const }
    const exit = (quantity: string) => ({ ...sale, terms, order: { ...sale.order, quantity } })
    const beside = { ...lost, order: { ...lost.order, quantity: "2" } }
    const asked = "wait: a person is asked about the exit before it"
    assert.strictEqual(verdict(exit("2"), { ...held, open: [beside] }), asked)
    assert.strictEqual(
      verdict(exit("2"), { ...held, open: [{ ...beside, bot_id: other }] }),
      "send"
    )
    const half = { ...lost, order: { ...lost.order, quantity: "1" } }
    assert.strictEqual(verdict(exit("1"), { ...held, open: [half] }), "send")
  })

  it("sells what is left of its lot, and not more of what its bot has", () => {
    const selling = (quantity: string) => ({ ...sale, order: { ...sale.order, quantity } })
    const ofLot = { ...held, lotRest: 0.5 }
    assert.strictEqual(verdict(selling("0.5"), ofLot), "send")
    assert.strictEqual(verdict(selling("0.501"), ofLot), "end: exceeds_holdings")
    const atOnce = selling("0.501")
    const limit = { type: "limit", limit_price: "90", is_immediate: true } as const
    const immediate = { ...atOnce, order: { ...atOnce.order, ...limit } }
    assert.strictEqual(verdict(immediate, ofLot), "end: exceeds_holdings")
    const stop = { ...sale, order: { ...sale.order, type: "stop", stop_price: "90" } } as const
    assert.strictEqual(verdict(stop, ofLot), "send", "it follows its lot")
  })

  const locked = "wait: an order that is being taken back locks the coins"

  it("waits for an order that its bot takes back, which locks the coins", () => {
    const stop = {
      ...sale,
      ...reference,
      leg: "stop_loss" as const,
      is_cancel_wanted: true,
      order: { ...sale.order, type: "stop" as const, stop_price: "90" }
    }
    eachAlone(
      stop,
      [
        { bot_id: other },
        { is_cancel_wanted: false },
        { order: { symbol: elsewhere } },
        { order: { side: "buy" } },
        { state: "written" }
      ],
      (one) => verdict(sale, { ...held, open: [one] }),
      locked
    )
    const freely = {
      book: traded(own, "buy", "one_way"),
      kind: "one_way",
      mayOverlap: true
    } as const
    assert.strictEqual(verdict(sale, { ...freely, open: [stop] }), "send")
  })

  it("waits for one whose outcome is unknown, until that is known or a person is asked", () => {
    const half = { ...sale, order: { ...sale.order, quantity: "1" } }
    const beside = (state: OrderAttempt["state"]) =>
      verdict(half, {
        ...held,
        open: [{ ...sale, ...reference, state, is_cancel_wanted: true }],
        nowMs: nowMs + 60_000
      })
    for (const state of ["sending", "unknown"] as const) assert.strictEqual(beside(state), locked)
    assert.strictEqual(beside("given_up"), "send")
  })
})

describe("an exit where positions are netted", () => {
  const netted = (side: "buy" | "sell") => ({
    kind: "one_way" as const,
    book: traded(own, side, "one_way")
  })

  it("closes a short by buying it back, and not more of it", () => {
    const buying = (quantity: string): OrderAttempt => ({
      ...sale,
      order: { ...sale.order, side: "buy", quantity }
    })
    assert.strictEqual(verdict(buying("2"), netted("sell")), "send")
    assert.strictEqual(verdict(buying("2.1"), netted("sell")), "end: exceeds_holdings")
    assert.strictEqual(verdict(buying("1"), netted("buy")), "end: exceeds_holdings")
    assert.strictEqual(verdict(buying("1"), { kind: "one_way" }), "end: exceeds_holdings")
  })

  it("that only reduces may ask for more than a bot alone holds, but not once that is nothing", () => {
    const alone = { mayOverlap: true }
    const more = { ...sale, order: { ...sale.order, quantity: "3" } }
    const stop = { ...more, order: { ...more.order, type: "stop", stop_price: "90" } } as const
    assert.strictEqual(verdict(more, { ...netted("buy"), ...alone }), "send")
    for (const left of [{ kind: "one_way" } as const, netted("sell")]) {
      assert.strictEqual(verdict(more, { ...left, ...alone }), "end: exceeds_holdings")
      assert.strictEqual(verdict(stop, { ...left, ...alone }), "send")
    }
  })

  it("of one lot waits while an exit of that lot is taken back, and for no other lot", () => {
    const lot = { id: "lot", quantity: "2" }
    const exit = { ...sale, lot, decided_after: 0 }
    const back = (id: string) => ({
      ...exit,
      id: "stop",
      lot: { ...lot, id },
      state: "working" as const,
      is_cancel_wanted: true
    })
    const open = (id: string) => ({ ...netted("buy"), mayOverlap: true, open: [back(id)] })
    assert.match(verdict(exit, open("lot")), /^wait: an order that is being taken back/)
    assert.strictEqual(verdict(exit, open("other")), "send")
    assert.strictEqual(verdict(sale, open("lot")), "send")
  })

  it("closes no more than its venue has of its bot's coins", () => {
    const book = traded(own, "buy", "spot")
    const cut = { ...sale, terms }
    assert.strictEqual(verdict(cut, { book, lacking: 1.5 }), "send")
    assert.strictEqual(verdict(sale, { book, lacking: 1.5 }), "end: exceeds_holdings")
    assert.strictEqual(verdict(cut, { book, lacking: 2 }), "end: exceeds_holdings")
  })

  it("of a bot that has no share of the account closes nothing", () => {
    const stranger = { ...sale, bot_id: attemptOf().bot_id }
    assert.strictEqual(verdict(stranger, netted("buy")), "end: exceeds_holdings")
  })
})

describe("a stop where positions are netted", () => {
  const stop = { ...sale, leg: "stop_loss" as const, order: { ...sale.order, quantity: "2" } }
  const raised = { ...stop, order: { ...stop.order, type: "stop" as const, stop_price: "95" } }
  const before = { ...raised, ...reference, order: { ...raised.order, stop_price: "90" } }
  const beside = (one: OrderAttempt, fields: Partial<AttemptContext> = {}) =>
    verdict(raised, {
      kind: "one_way",
      book: traded(own, "buy", "one_way"),
      open: [raised, one],
      ...fields
    })
  const waits = "wait: exits beside it would close more than the bot holds"

  it("waits for the one that it replaces, where another bot holds the market", () => {
    eachAlone(
      before,
      [
        { bot_id: other },
        { leg: "entry" },
        { state: "written" },
        { filled_quantity: "2" },
        { order: { symbol: elsewhere } },
        { order: { side: "buy" } }
      ],
      beside,
      waits
    )
    assert.strictEqual(beside({ ...before, state: "given_up" }), waits)
  })

  it("goes beside it where its bot is alone, or where both share the quantity", () => {
    assert.strictEqual(beside(before, { mayOverlap: true }), "send")
    assert.strictEqual(beside(before, { canShareQuantity: true }), "send")
  })

  it("waits on spot too, where both would sell coins of others", () => {
    const spot = { kind: "spot", book: traded(own, "buy", "spot") } as const
    assert.strictEqual(beside(before, spot), waits)
    assert.strictEqual(beside({ ...before, leg: "entry" }, spot), "send")
  })

  it("has its bot take the other one back", () => {
    const book = traded(own, "buy", "one_way")
    const found = judgeAttempt(raised, contextOf({ kind: "one_way", book, open: [before] }))
    assert.deepInclude(found, { type: "wait", wakes: own })
  })
})

describe("an entry that adds to a position", () => {
  it("waits until its bot has booked an exit of that, and has the bot woken", () => {
    const addition = attemptOf({ bot_id: own, order: { quantity: "1" } })
    const found = judgeAttempt(addition, contextOf({ overtakenBy: "exit" }))
    assert.deepInclude(found, { type: "wait", wakes: own })
  })
})

describe("an entry where positions are netted", () => {
  const short = attemptOf({ bot_id: own, order: { side: "sell" } })
  const kind = "one_way" as const

  it("waits for an exit of its own bot at the market that it would stand in for", () => {
    const book = traded(own, "buy", "one_way")
    eachAlone(
      { ...sale, ...reference },
      [
        { bot_id: other },
        { leg: "entry" },
        { state: "given_up" },
        { order: { type: "stop", stop_price: "90" } },
        { order: { symbol: elsewhere } }
      ],
      (one) => verdict(short, { kind, book, open: [one] }),
      "wait: an exit of the bot goes first",
      "end: the bot holds a position the other way"
    )
  })

  it("is not sent against an entry of another bot, which that one takes back", () => {
    const long = { ...entry, ...reference, bot_id: other, is_cancel_wanted: true }
    assert.strictEqual(verdict(short, { kind, open: [long] }), "end: market_taken")
  })

  it("ends against a position of its own bot, long or short", () => {
    const ended = "end: the bot holds a position the other way"
    assert.strictEqual(verdict(short, { kind, book: traded(own, "buy", "one_way") }), ended)
    assert.strictEqual(verdict(entry, { kind, book: traded(own, "sell", "one_way") }), ended)
    assert.strictEqual(verdict(entry, { kind, book: traded(own, "buy", "one_way") }), "send")
    assert.strictEqual(verdict(short, { kind, book: traded(own, "sell", "one_way") }), "send")
  })

  it("ends where another bot holds the market the other way, or may come to", () => {
    const taken = "end: market_taken"
    assert.strictEqual(verdict(short, { kind, book: traded(other, "buy", "one_way") }), taken)
    assert.strictEqual(verdict(entry, { kind, book: traded(other, "sell", "one_way") }), taken)
    const moved = { ...short, order: { ...short.order, symbol: elsewhere } }
    assert.strictEqual(verdict(moved, { kind, book: traded(other, "buy", "one_way") }), "send")
    eachAlone(
      { ...entry, ...reference, bot_id: other },
      [
        { bot_id: own },
        { state: "written" },
        { order: { symbol: elsewhere } },
        { order: { side: "sell" } }
      ],
      (one) => verdict(short, { kind, open: [one] }),
      taken
    )
  })

  it("waits while exits of another bot may close more than that bot holds", () => {
    const theirs = { ...sale, ...reference, bot_id: other, leg: "stop_loss" as const }
    const stop = { ...theirs, order: { ...sale.order, quantity: "2", type: "stop" as const } }
    const next = { ...stop, id: "next" }
    const open = (one: OrderAttempt): Partial<AttemptContext> => ({
      kind,
      book: traded(other, "buy", "one_way"),
      open: [stop, one]
    })
    eachAlone(
      next,
      [
        { bot_id: own },
        { state: "written" },
        { filled_quantity: "2" },
        { order: { symbol: elsewhere } },
        { order: { side: "buy" } }
      ],
      (one) => verdict(entry, open(one)),
      "wait: exits of another bot overlap still"
    )
    assert.strictEqual(verdict(entry, { ...open(next), canShareQuantity: true }), "send")
    const orphan = { ...open(next), book: bots, open: [stop] }
    assert.include(verdict(entry, orphan), "wait", "a bot that holds nothing has a stop there")
    const found = judgeAttempt(entry, contextOf(open(next)))
    assert.deepInclude(found, { type: "wait", wakes: other }, "it does not know of the entry")
  })

  it("ties up as much margin as its bot has left, and ends where a price is missing", () => {
    const long = (quantity: string) => attemptOf({ bot_id: own, order: { quantity } })
    assert.strictEqual(verdict(long("10"), { kind }), "send")
    assert.strictEqual(verdict(long("10.000000005"), { kind }), "send", "rounding is no margin")
    assert.strictEqual(verdict(long("10.0001"), { kind }), "end: allocation")
    const book = traded(own, "buy", "one_way")
    assert.strictEqual(verdict(long("1"), { kind, book, memory: emptyBounds }), "end: no_price")
  })

  it("of a bot without a share of the account is beyond it", () => {
    assert.strictEqual(verdict(attemptOf(), { kind }), "end: allocation")
  })
})
