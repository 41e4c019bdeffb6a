/**
 * The way from the protective orders that rest to those that are wanted.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Random } from "@candlewick/engine/kernel"
import type { OrderAttempt } from "../../../../src/domain/VenueAccount.ts"
import { openAttemptStates } from "../../../../src/domain/AttemptMachine.ts"
import {
  auditProtection,
  withoutGrown
} from "../../../../src/services/venues/books/auditProtection.ts"
import {
  placedAgainMs,
  planProtection
} from "../../../../src/services/venues/books/planProtection.ts"
import type { ProtectedLot, WantedExit } from "../../../../src/services/venues/books/wantedExits.ts"
import { orderAttemptRecord } from "../../../../src/testing/venueRecords.ts"
import { atLeast, draws } from "../../../../../../test/draws.ts"

const spot = { hasStops: true, hasReduceOnly: false, canShareQuantity: false }
const reducing = { hasStops: true, hasReduceOnly: true, canShareQuantity: false }

const wanted = (fields: Partial<WantedExit> = {}): WantedExit => ({
  clientOrderId: "entry:stop",
  lot: "entry",
  market: 0,
  symbol: "BTC/USDT",
  side: "sell",
  leg: "stop_loss",
  exitReason: "stop_loss",
  type: "stop",
  quantity: "1",
  stopPrice: "90",
  limitPrice: null,
  isReduceOnly: false,
  isPassed: false,
  ...fields
})

const attemptOf = (exit: WantedExit, fields: Partial<OrderAttempt> = {}): OrderAttempt =>
  orderAttemptRecord({
    client_order_id: exit.clientOrderId,
    leg: exit.leg,
    order: {
      symbol: exit.symbol,
      side: exit.side,
      type: exit.type,
      quantity: exit.quantity,
      limit_price: exit.limitPrice,
      stop_price: exit.stopPrice,
      is_reduce_only: exit.isReduceOnly
    },
    state: "working",
    ...fields
  })

const plan = (
  exits: ReadonlyArray<WantedExit>,
  attempts: ReadonlyArray<OrderAttempt>,
  capabilities = spot,
  nowMs = 0
) => planProtection(exits, attempts, { capabilities, lotOf: () => "entry", nowMs })

const nothing = { place: [], cancel: [], refused: [] }

describe("a plan of protective orders", () => {
  it("places what is missing, and does nothing once that is on its way", () => {
    assert.deepStrictEqual(plan([wanted()], []), { ...nothing, place: [wanted()] })
    for (const state of ["written", "sending", "unknown", "working"] as const) {
      assert.deepStrictEqual(plan([wanted()], [attemptOf(wanted(), { state })]), nothing)
    }
  })

  it("cancels first where the old order locks the quantity, and places once it is gone", () => {
    const old = attemptOf(wanted())
    const moved = wanted({ stopPrice: "92" })
    assert.deepStrictEqual(plan([moved], [old]), { ...nothing, cancel: [old] })
    const leaving = { ...old, is_cancel_wanted: true }
    assert.deepStrictEqual(plan([moved], [leaving]), nothing)
    const gone = { ...leaving, state: "over" } as const
    assert.deepStrictEqual(plan([moved], [gone]), { ...nothing, place: [moved] })
  })

  it("places first where orders only reduce, and cancels once the new one works", () => {
    const old = attemptOf(wanted())
    const grown = wanted({ quantity: "2" })
    assert.deepStrictEqual(plan([grown], [old], reducing), { ...nothing, place: [grown] })
    const sent = attemptOf(grown, { state: "sending" })
    assert.deepStrictEqual(plan([grown], [old, sent], reducing), nothing)
    const working = attemptOf(grown)
    assert.deepStrictEqual(plan([grown], [old, working], reducing), { ...nothing, cancel: [old] })
  })

  it("cancels first where what only reduces may reduce what is another bot's", () => {
    const old = attemptOf(wanted())
    const moved = wanted({ stopPrice: "92" })
    const shared = { ...reducing, reducesOthers: true }
    assert.deepStrictEqual(plan([moved], [old], shared), { ...nothing, cancel: [old] })
    const gone = attemptOf(wanted(), { state: "over" })
    assert.deepStrictEqual(plan([moved], [gone], shared), { ...nothing, place: [moved] })
  })

  it("leaves at the market once at a time, also where orders only reduce", () => {
    const leaving = wanted({ type: "market", stopPrice: null, isPassed: true })
    const half = attemptOf({ ...leaving, quantity: "0.5" })
    assert.deepStrictEqual(plan([leaving], [half], reducing), nothing)
    const over = { ...half, state: "over" as const }
    assert.deepStrictEqual(plan([leaving], [over], reducing), { ...nothing, place: [leaving] })
  })

  it("sends nothing beside an order that nobody knows of, and leaves at the market once", () => {
    const lost = attemptOf(wanted(), { state: "given_up" })
    for (const capabilities of [spot, reducing]) {
      assert.deepStrictEqual(plan([wanted()], [lost], capabilities), nothing)
      const leaving = wanted({ type: "market", stopPrice: null, isPassed: true })
      assert.deepStrictEqual(plan([leaving], [lost], capabilities).place, [leaving])
      const left = attemptOf(leaving, { state: "given_up" })
      assert.deepStrictEqual(plan([leaving], [lost, left], capabilities), nothing)
    }
    assert.deepStrictEqual(plan([wanted({ stopPrice: "92" })], [lost]).place, [])
    const passed = plan([wanted({ isPassed: true })], [lost]).place
    assert.deepStrictEqual(
      passed.map(({ type }) => type),
      ["market"]
    )
  })

  it("waits once the sender has turned an exit down so often, and not where the bot did", () => {
    const over = { state: "over", sent_at_ms: null, written_at_ms: 0 } as const
    const turnedDown = [1, 2, 3].map((number) => attemptOf(wanted(), { ...over, number }))
    const refused = [wanted()]
    assert.deepStrictEqual(plan([wanted()], turnedDown.slice(1)).place, refused)
    assert.deepStrictEqual(plan([wanted()], turnedDown), { ...nothing, refused })
    assert.deepStrictEqual(plan([wanted()], turnedDown, spot, 60_000).place, refused)
    const takenBack = turnedDown.map((attempt) => ({ ...attempt, is_cancel_wanted: true }))
    assert.deepStrictEqual(plan([wanted()], takenBack).place, refused)
  })

  it("leaves a stop alone that fills in parts", () => {
    const half = attemptOf(wanted(), { filled_quantity: "0.5" })
    assert.deepStrictEqual(plan([wanted({ quantity: "0.5" })], [half]), nothing)
  })

  it("leaves at the market where the price has passed a stop that does not rest", () => {
    const passed = wanted({ isPassed: true })
    const [exit] = plan([passed], []).place
    assert.deepInclude(exit, { type: "market", stopPrice: null, quantity: "1" })
    assert.deepStrictEqual(plan([passed], [attemptOf(passed)]), nothing, "it is being filled")
    const looser = attemptOf(wanted({ stopPrice: "80" }))
    assert.deepStrictEqual(plan([passed], [looser]), { ...nothing, cancel: [looser] })
  })

  it("cancels all that rests for a lot that is gone", () => {
    const stop = attemptOf(wanted())
    assert.deepStrictEqual(plan([], [stop]), { ...nothing, cancel: [stop] })
    assert.deepStrictEqual(plan([], [stop], reducing), { ...nothing, cancel: [stop] })
  })

  it("leaves a sale that the sender has cut to what its bot has, and asks for no other", () => {
    const exit = wanted({ type: "market", stopPrice: null })
    const whole = attemptOf(exit)
    const cut = attemptOf(exit, {
      decided_order: whole.order,
      order: { ...whole.order, quantity: "0.8" }
    })
    assert.deepStrictEqual(plan([exit], [cut]), nothing)
    const half = { ...cut, filled_quantity: "0.5" }
    assert.deepStrictEqual(plan([{ ...exit, quantity: "0.5" }], [half]), nothing)
    // One that made room for others, and that has its room now, is asked for as it was decided.
    assert.deepStrictEqual(plan([{ ...exit, asked: "1" }], [cut]).cancel, [cut])
  })

  it("leaves an exit that the venue keeps refusing for a minute, and keeps the old one", () => {
    const refused = attemptOf(wanted(), { state: "refused", written_at_ms: 0 })
    assert.lengthOf(plan([wanted()], [refused, refused]).place, 1)
    assert.deepStrictEqual(plan([wanted()], [refused, refused, refused]), {
      ...nothing,
      refused: [wanted()]
    })
    const thrice = [refused, refused, refused]
    assert.lengthOf(plan([wanted()], thrice, spot, 59_999).place, 0)
    assert.lengthOf(plan([wanted()], thrice, spot, 60_000).place, 1)
    const old = attemptOf(wanted({ stopPrice: "80" }))
    assert.deepStrictEqual(plan([wanted()], [old, ...thrice], reducing).cancel, [])
  })
})

describe("a stop that its venue takes and ends", () => {
  it("is asked for three times a minute, unless the bot took it back or it has filled", () => {
    const over = { state: "over", sent_at_ms: 0, written_at_ms: 0 } as const
    const ended = [1, 2, 3].map((number) => attemptOf(wanted(), { ...over, number }))
    assert.lengthOf(plan([wanted()], ended.slice(1)).place, 1)
    assert.deepStrictEqual(plan([wanted()], ended), { ...nothing, refused: [wanted()] })
    assert.lengthOf(plan([wanted()], ended, spot, 60_000).place, 1)
    const later = ended.map((attempt, at) => ({ ...attempt, written_at_ms: at * 1_000 }))
    assert.strictEqual(placedAgainMs([wanted()], later, 3_000), 60_000)
    assert.strictEqual(placedAgainMs([], later, 3_000), null)
    for (const change of [{ is_cancel_wanted: true }, { filled_quantity: "0.5" }]) {
      const others = ended.map((attempt) => ({ ...attempt, ...change }))
      assert.lengthOf(plan([wanted()], others).place, 1)
    }
  })
})

describe("an order that rests", () => {
  it("is as wanted in kind, side and both prices, or it goes", () => {
    const limit = wanted({ type: "limit", leg: "take_profit", stopPrice: null, limitPrice: "110" })
    assert.deepStrictEqual(plan([limit], [attemptOf(limit)]), nothing)
    for (const other of [
      { ...limit, type: "stop" as const },
      { ...limit, side: "buy" as const },
      { ...limit, limitPrice: "111" },
      { ...limit, limitPrice: null },
      { ...limit, stopPrice: "90" },
      { ...limit, clientOrderId: "entry:other" }
    ]) {
      const old = attemptOf(other)
      assert.deepStrictEqual(plan([limit], [old]).cancel, [old], JSON.stringify(other))
    }
    const sameAmount = attemptOf(wanted({ stopPrice: "90.00" }))
    assert.deepStrictEqual(plan([wanted()], [sameAmount]), nothing)
  })

  it("is of its own lot: another lot's is neither kept nor cancelled for it", () => {
    const ofLot = (lot: string) => wanted({ lot, clientOrderId: `${lot}:stop` })
    const [first, second] = [ofLot("a"), ofLot("b")]
    const lots = {
      capabilities: spot,
      lotOf: (id: string) => id.split(":")[0]!,
      nowMs: 0
    }
    const resting = [attemptOf(first)]
    assert.deepStrictEqual(planProtection([first, second], resting, lots), {
      ...nothing,
      place: [second]
    })
    assert.deepStrictEqual(planProtection([second], resting, lots), {
      ...nothing,
      place: [second],
      cancel: resting
    })
  })

  it("is waited for by refusals of this exit alone: by its id and its terms", () => {
    const refusedOf = (exit: WantedExit) => {
      const one = attemptOf(exit, { state: "refused" })
      return plan([wanted()], [one, one, one]).refused.length
    }
    assert.strictEqual(refusedOf(wanted()), 1)
    assert.strictEqual(refusedOf(wanted({ clientOrderId: "entry:other" })), 0)
    assert.strictEqual(refusedOf(wanted({ stopPrice: "91" })), 0)
    assert.strictEqual(refusedOf(wanted({ quantity: "2" })), 0)
    const taken = { state: "over", sent_at_ms: 0, is_cancel_wanted: true } as const
    const over = attemptOf(wanted(), taken)
    assert.lengthOf(plan([wanted()], [over, over, over]).place, 1)
  })
})

describe("exits that may share a quantity", () => {
  const sharing = { hasStops: true, hasReduceOnly: false, canShareQuantity: true }
  const stop = wanted()
  const target = wanted({
    clientOrderId: "entry:target",
    leg: "take_profit",
    type: "limit",
    stopPrice: null,
    limitPrice: "110"
  })

  it("rest side by side, and are placed beside what is replaced", () => {
    const old = attemptOf(wanted({ stopPrice: "80" }))
    assert.deepStrictEqual(plan([stop, target], [old], sharing), {
      ...nothing,
      place: [stop, target]
    })
    const both = [attemptOf(stop), attemptOf(target)]
    assert.deepStrictEqual(plan([stop, target], [old, ...both], sharing).cancel, [old])
    const coming = [attemptOf(stop, { state: "sending" }), attemptOf(target)]
    assert.deepStrictEqual(plan([stop, target], [old, ...coming], sharing).cancel, [])
  })

  it("go before one of them leaves at the market, which may not share", () => {
    const leaving = wanted({ type: "market", stopPrice: null, isPassed: true })
    const resting = attemptOf(target)
    assert.deepStrictEqual(plan([leaving], [resting], sharing), { ...nothing, cancel: [resting] })
  })

  it("pass to the market only as stops", () => {
    const passed = { ...target, isPassed: true }
    assert.deepStrictEqual(plan([passed], [], sharing).place, [passed])
  })
})

describe("a crowd of orders for one exit", () => {
  it("goes but for one that works, before another is placed", () => {
    const at = (stopPrice: string) => attemptOf(wanted({ stopPrice }))
    const [first, second] = [at("80"), at("85")]
    const planned = plan([wanted()], [first, second], reducing)
    assert.deepStrictEqual(planned, { ...nothing, cancel: [second] })
    const leaving = { ...second, is_cancel_wanted: true }
    assert.deepStrictEqual(plan([wanted()], [first, leaving], reducing), nothing)
    const sent = { ...first, state: "sending" as const }
    assert.deepStrictEqual(plan([wanted()], [sent, second], reducing).cancel, [sent])
    const neither = [sent, { ...second, state: "sending" as const }]
    assert.deepStrictEqual(plan([wanted()], neither, reducing), nothing)
  })
})

/** A venue that answers whenever it likes. */
class Answering {
  attempts: Array<OrderAttempt> = []

  follow({ cancel, place }: ReturnType<typeof plan>): void {
    this.attempts = this.attempts.map((attempt) =>
      cancel.includes(attempt) ? { ...attempt, is_cancel_wanted: true } : attempt
    )
    for (const exit of place) this.attempts.push(attemptOf(exit, { state: "written" }))
  }

  get open(): ReadonlyArray<OrderAttempt> {
    return this.attempts.filter(({ state }) => openAttemptStates.includes(state))
  }

  get isProtecting(): boolean {
    return this.open.some(({ state }) => state === "working")
  }

  /** Moves one attempt on; a venue in peace refuses and loses nothing. */
  answer(random: Random, isInPeace: boolean): void {
    if (this.open.length === 0) return
    const chosen = random.pick(this.open)
    this.attempts = this.attempts.map((attempt) =>
      attempt === chosen ? { ...attempt, state: this.#next(random, attempt, isInPeace) } : attempt
    )
  }

  #next(random: Random, attempt: OrderAttempt, isInPeace: boolean): OrderAttempt["state"] {
    const { is_cancel_wanted: isLeaving, state } = attempt
    if (state === "written") return isLeaving ? "over" : "sending"
    if (state === "sending")
      return isInPeace ? "working" : random.pick(["working", "refused", "unknown"])
    if (state === "unknown") return random.pick(["working", "absent"])
    return isLeaving ? "over" : state
  }
}

describe("plans, one after the other", () => {
  it("come to an end with what is wanted, whatever the venue answers meanwhile", () => {
    let steps = 0
    for (const { random, seed } of draws("protection plans", 2_000)) {
      const capabilities = random.pick([spot, reducing])
      const venue = new Answering()
      let exits: ReadonlyArray<WantedExit> = [wanted()]
      const step = (isInPeace: boolean) => {
        const wasProtected = venue.isProtecting
        venue.follow(plan(exits, venue.attempts, capabilities))
        venue.answer(random, isInPeace)
        steps++
        // New before old: what rested once is never without an order at rest.
        if (wasProtected && capabilities === reducing && exits.length > 0) {
          assert.isTrue(venue.isProtecting, seed)
        }
        if (capabilities === spot) assert.isAtMost(venue.open.length, 1, seed)
        else assert.isAtMost(venue.open.length, 3, seed)
      }
      for (let count = random.integer(5, 40); count > 0; count--) {
        if (random.next() < 0.2) {
          const stopPrice = String(random.integer(80, 95))
          exits = [wanted({ stopPrice, quantity: String(random.integer(1, 3)) })]
        }
        step(false)
      }
      // The order wanted last was not refused.
      exits = random.next() < 0.2 ? [] : [wanted({ stopPrice: "96" })]
      for (let count = 0; count < 200; count++) step(true)
      assert.deepStrictEqual(plan(exits, venue.attempts, capabilities), nothing, seed)
      assert.deepStrictEqual(
        venue.open.map(({ order, state }) => [order.stop_price, state]),
        exits.map(({ stopPrice }) => [stopPrice, "working"]),
        seed
      )
    }
    assert.isAbove(steps, atLeast(200_000))
  })
})

describe("an audit of stops", () => {
  const at = (nowMs: number) => ({ limitMs: 10_000, nowMs })
  const lot: ProtectedLot = { lot: "entry", symbol: "BTC/USDT", side: "sell", quantity: "1" }

  it("tells once of a lot that is bare for longer than is allowed", () => {
    const first = auditProtection([], [lot], [], at(0))
    assert.deepStrictEqual(first.alert, [])
    const soon = auditProtection(first.bare, [lot], [], at(10_000))
    assert.deepStrictEqual(soon.alert, [])
    const late = auditProtection(soon.bare, [lot], [], at(10_001))
    const bare = { lot: "entry", symbol: "BTC/USDT", sinceMs: 0, dueMs: 10_000, isTold: true }
    assert.deepStrictEqual(late, { alert: [bare], bare: [bare], told: [] })
    const later = auditProtection(late.bare, [lot], [], at(20_000))
    assert.deepStrictEqual(later, { alert: [], bare: [bare], told: [] })
  })

  const bareBeside = (attempts: ReadonlyArray<OrderAttempt>, lots = [lot]) =>
    auditProtection([], lots, attempts, at(0)).bare.map((one) => one.lot)

  it("takes no order for a stop that the venue has not confirmed, that is taken back, or too small", () => {
    const changes: ReadonlyArray<Partial<OrderAttempt>> = [
      { state: "sending" },
      { state: "unknown" },
      { filled_quantity: "0.1" },
      { is_cancel_wanted: true },
      { client_order_id: "another:stop" }
    ]
    for (const change of changes) {
      assert.deepStrictEqual(bareBeside([attemptOf(wanted(), change)]), ["entry"])
    }
    assert.deepStrictEqual(bareBeside([attemptOf(wanted())]), [])
  })

  it("counts exits at the market once the venue has them, and the oldest lots first", () => {
    const exit = wanted({ clientOrderId: "exit", leg: "exit", type: "market", stopPrice: null })
    const target = { ...exit, clientOrderId: "entry:target", leg: "take_profit" as const }
    assert.deepStrictEqual(bareBeside([attemptOf(exit)]), [])
    assert.deepStrictEqual(bareBeside([attemptOf(target)]), [])
    const misses: ReadonlyArray<OrderAttempt> = [
      attemptOf(exit, { state: "written" }),
      attemptOf(exit, { state: "unknown" }),
      attemptOf(exit, { filled_quantity: "0.5" }),
      attemptOf({ ...exit, symbol: "ETH/USDT" }),
      attemptOf({ ...exit, side: "buy" }),
      attemptOf({ ...exit, leg: "stop_loss" }),
      attemptOf({ ...exit, type: "limit", limitPrice: "120" })
    ]
    for (const one of misses) assert.deepStrictEqual(bareBeside([one]), ["entry"])
    const lots = [lot, { ...lot, lot: "next" }]
    assert.deepStrictEqual(bareBeside([attemptOf(exit)], lots), ["next"])
    const both = attemptOf({ ...exit, quantity: "2" })
    assert.deepStrictEqual(bareBeside([both], lots), [])
    const half = [attemptOf({ ...exit, quantity: "0.5" }), attemptOf(wanted({ quantity: "0.5" }))]
    assert.deepStrictEqual(bareBeside(half), [])
  })

  it("goes on with a lot that it told of until that has left, whatever exits there are", () => {
    const told = auditProtection(auditProtection([], [lot], [], at(0)).bare, [lot], [], at(10_001))
    const exit = wanted({ clientOrderId: "exit", leg: "exit", type: "market", stopPrice: null })
    assert.deepStrictEqual(
      auditProtection(told.bare, [lot], [attemptOf(exit)], at(11_000)).bare,
      told.bare
    )
    assert.deepStrictEqual(
      auditProtection(told.bare, [lot], [attemptOf(wanted())], at(11_000)).bare,
      []
    )
  })

  it("begins anew once a lot has grown to the least notional, and for no other cause", () => {
    const growing = { ...at(0), growing: new Set(["entry"]) }
    const { bare } = auditProtection([], [lot], [], growing)
    const left = (large: Record<string, string>) =>
      withoutGrown(bare, new Map(Object.entries(large)))
    assert.deepStrictEqual(left({ entry: "1.001" }), [])
    assert.deepStrictEqual(left({ entry: "1" }), bare, "its price has risen")
    assert.deepStrictEqual(left({}), bare, "its entry has ended")
    const ended = auditProtection(bare, [lot], [], at(1)).bare
    assert.deepInclude(ended[0], { sinceMs: 0 })
    assert.deepStrictEqual(withoutGrown(ended, new Map([["entry", "2"]])), ended)
  })

  it("begins anew once a stop rested", () => {
    const before = auditProtection([], [lot], [], at(0)).bare
    const { bare } = auditProtection(before, [lot], [attemptOf(wanted())], at(5_000))
    assert.deepStrictEqual(bare, [])
  })

  const endedAt = (written_at_ms: number, number: number, fields: Partial<OrderAttempt> = {}) =>
    attemptOf(wanted(), {
      state: "over",
      sent_at_ms: written_at_ms,
      written_at_ms,
      number,
      ...fields
    })

  it("goes on where the venue ended a stop soon that took the place of another such one", () => {
    const sinceOf = (attempts: ReadonlyArray<OrderAttempt>) =>
      auditProtection([], [lot], attempts, at(200_000)).bare[0]?.sinceMs
    const [rested, second, third] = [endedAt(0, 1), endedAt(90_000, 2), endedAt(150_000, 3)]
    assert.strictEqual(sinceOf([rested]), 200_000)
    assert.strictEqual(sinceOf([third, rested, second]), 90_000)
    assert.strictEqual(sinceOf([rested, endedAt(79_999, 2)]), 200_000, "it rested for long")
    const takenBack = endedAt(90_000, 2, { is_cancel_wanted: true })
    assert.strictEqual(sinceOf([rested, takenBack, third]), 200_000)
    const refused = attemptOf(wanted(), { state: "refused", number: 4, written_at_ms: 160_000 })
    const fifth = endedAt(170_000, 5)
    assert.strictEqual(sinceOf([third, refused, rested, fifth, second]), 90_000)
    const { alert } = auditProtection([], [lot], [rested, second], at(200_000))
    assert.lengthOf(alert, 1)
  })

  it("goes on where attempts came between that never rested, however long they took", () => {
    const sinceOf = (state: OrderAttempt["state"]) => {
      const never = [2, 3].map((number) => endedAt(number * 60_000, number, { state }))
      const attempts = [endedAt(0, 0), endedAt(119_000, 1), ...never, endedAt(250_000, 4)]
      return auditProtection([], [lot], attempts, at(251_000)).bare[0]?.sinceMs
    }
    assert.strictEqual(sinceOf("refused"), 119_000)
    assert.strictEqual(sinceOf("absent"), 119_000)
  })

  /** A lot that was told of at 30 s, bare since 0 s, and whose stop rests from 40 s on. */
  const restingAgain = () => {
    const told = auditProtection([], [lot], [endedAt(-1, 0)], at(0)).bare
    const late = auditProtection(told, [lot], [endedAt(-1, 0)], at(30_000))
    assert.lengthOf(late.alert, 1)
    const stop = endedAt(39_000, 1, { state: "working" })
    const { bare, told: kept } = auditProtection(late.bare, [lot], [stop], at(40_000))
    assert.deepStrictEqual(bare, [])
    assert.deepStrictEqual(kept, [{ lot: "entry", sinceMs: 0, restingSinceMs: 40_000 }])
    return { kept, stop }
  }

  it("tells no second time of a lot whose stop rested for a short time only", () => {
    const { kept, stop } = restingAgain()
    const rests = auditProtection([], [lot], [stop], { ...at(100_000), told: kept })
    assert.deepStrictEqual(rests, { alert: [], bare: [], told: kept })
    const ended = [{ ...stop, state: "over" as const }]
    const again = auditProtection([], [lot], ended, { ...at(160_000), told: rests.told })
    const bare = { lot: "entry", symbol: "BTC/USDT", sinceMs: 0, dueMs: 10_000, isTold: true }
    assert.deepStrictEqual(again, { alert: [], bare: [bare], told: [] })
    const next = endedAt(170_000, 2, { state: "working" })
    const once = auditProtection(again.bare, [lot], [...ended, next], at(170_001))
    assert.deepStrictEqual(once.told, [{ lot: "entry", sinceMs: 0, restingSinceMs: 170_001 }])
    const twice = auditProtection([], [lot], [...ended, { ...next, state: "over" }], {
      ...at(171_000),
      told: once.told
    })
    assert.deepStrictEqual(twice, again)
  })

  it("tells of a lot anew once its stop rested for longer", () => {
    const { kept, stop } = restingAgain()
    const rests = auditProtection([], [lot], [stop], { ...at(160_001), told: kept })
    assert.deepStrictEqual(rests, { alert: [], bare: [], told: [] })
    // A process that was away has not seen for how long the stop rested.
    const ended = [{ ...stop, state: "over" as const }]
    const { bare, told } = auditProtection([], [lot], ended, { ...at(160_001), told: kept })
    assert.deepInclude(bare[0], { sinceMs: 160_001, isTold: false })
    assert.deepStrictEqual(told, [])
    assert.lengthOf(auditProtection(bare, [lot], ended, at(170_002)).alert, 1)
  })

  it("counts a lot as told once it is known that the venue ended its stop", () => {
    const { kept, stop } = restingAgain()
    const lost = [{ ...stop, state: "unknown" as const }]
    const before = auditProtection([], [lot], lost, { ...at(50_000), told: kept })
    assert.deepInclude(before.bare[0], { sinceMs: 50_000, isTold: false })
    const context = { ...at(61_000), told: before.told }
    const found = auditProtection(before.bare, [lot], [{ ...stop, state: "over" }], context)
    assert.deepStrictEqual(found.alert, [])
    assert.deepInclude(found.bare[0], { sinceMs: 0, isTold: true })
    assert.deepStrictEqual(found.told, [])
  })

  it("counts no lot as told whose stop its bot took back, nor one that is no longer held", () => {
    const { kept, stop } = restingAgain()
    const context = { ...at(50_000), told: kept }
    const takenBack = [{ ...stop, is_cancel_wanted: true }]
    const moved = auditProtection([], [lot], takenBack, context)
    assert.deepInclude(moved.bare[0], { sinceMs: 50_000, isTold: false })
    assert.deepStrictEqual(auditProtection([], [], [stop], context).told, [])
  })
})
