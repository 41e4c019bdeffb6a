/**
 * Each cause that disturbs a backtest's fills is found again, with its amount to the step.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeRandom, type Random } from "@candlewick/engine/kernel"
import {
  type Cause,
  causes,
  type ComparedFill,
  compareFills,
  type Comparison,
  type RealizedFill,
  type UnfilledOrder,
  type Stretch,
  toSteps
} from "@candlewick/core"
import { draws } from "../../../../../test/draws.ts"

const lastClose = 123.45
const fillOf = ({ time = 0, ...fields }: Partial<ComparedFill>): ComparedFill => ({
  market: 0,
  time,
  since: time,
  coolsUntil: null,
  decision: null,
  side: 1,
  leg: "entry",
  quantity: 1,
  price: 100,
  fee: 0.1,
  ...fields
})
const made = (fill: ComparedFill, fields: Partial<RealizedFill> = {}): RealizedFill => ({
  ...fill,
  lack: null,
  // Parts are halves.
  lackQuantity: fill.quantity,
  isCommanded: false,
  isUnprotected: false,
  isPriced: false,
  isLate: false,
  isBesideOther: false,
  heardAfter: null,
  ...fields
})

/** The result of a fill until the last close, in steps. */
const worth = ({ fee, price, quantity, side }: ComparedFill): bigint =>
  toSteps(side * quantity * (lastClose - price)) - toSteps(fee)

const priceOf = (random: Random): number => 100 + Math.round(random.next() * 4_000) / 100

type Records = Omit<Comparison, "expected" | "lastCloses" | "realized">

interface Disturbed extends Partial<Records> {
  readonly realized: ReadonlyArray<RealizedFill>
}

/** A position of a backtest: an entry and its exit, five candles later. */
const positionAt = (random: Random, market: number, time: number) => {
  const quantity = random.integer(1, 9) / 8
  const about = { market, quantity }
  return {
    entry: fillOf({ ...about, time, price: priceOf(random), fee: random.next() }),
    exit: fillOf({
      ...about,
      time: time + 5,
      side: -1,
      leg: "exit",
      price: priceOf(random),
      fee: random.next()
    })
  }
}

type Position = ReturnType<typeof positionAt>

const stretchOf = ({ entry }: Position): Stretch => ({ after: entry.time - 1, until: entry.time })
const refusalOf = ({ entry }: Position): UnfilledOrder => ({
  ...entry,
  cause: "refusal",
  filledTime: null,
  overTime: null,
  isOpen: false,
  time: entry.time - 1
})

/** The position as a bot has it that one cause disturbs. */
const disturb: Readonly<Record<Cause, (position: Position, random: Random) => Disturbed>> = {
  slippage: ({ entry, exit }, random) => ({
    realized: [made({ ...entry, price: priceOf(random) }), made(exit)]
  }),
  fee: ({ entry, exit }) => ({ realized: [made(entry), made({ ...exit, fee: exit.fee + 0.25 })] }),
  delay: ({ entry, exit }, random) => ({
    realized: [made({ ...entry, time: entry.time + 2, price: priceOf(random) }), made(exit)]
  }),
  part: ({ entry, exit }) => ({
    realized: [
      made({ ...entry, quantity: entry.quantity / 2, fee: entry.fee / 2 }, { lack: "part" }),
      made({ ...exit, quantity: exit.quantity / 2, fee: exit.fee / 2 })
    ]
  }),
  refusal: (position) => ({ realized: [], unfilled: [refusalOf(position)] }),
  missed_candle: (position) => ({ realized: [], missed: [stretchOf(position)] }),
  command: (position) => ({ realized: [], heldBack: [stretchOf(position)] })
}

const compare = (
  expected: ReadonlyArray<ComparedFill>,
  realized: ReadonlyArray<RealizedFill>,
  records: Partial<Records> = {}
) =>
  compareFills({
    isOnPaper: false,
    expected,
    realized,
    lastCloses: [lastClose, lastClose],
    unfilled: [],
    missed: [],
    heldBack: [],
    atRest: [],
    barred: [],
    passedOver: [],
    lacking: [],
    losing: [],
    shut: [],
    resumed: [],
    charges: [],
    lasting: "sizes",
    ...records
  })

const sum = (fills: ReadonlyArray<ComparedFill>): bigint =>
  fills.reduce((all, fill) => all + worth(fill), 0n)

/** Two numbers of steps that rounding of parts may set apart. */
const isNear = (one: bigint, other: bigint, most = 4n): boolean =>
  (one > other ? one - other : other - one) <= most

/** Each difference as its cause and whether it follows, for tables. */
const told = ({ differences }: ReturnType<typeof compare>) =>
  differences.map(({ cause, follows }) => `${cause} ${follows ? "follows" : "alone"}`)

const decided = <F extends ComparedFill>(fill: F, decision: string): F => ({ ...fill, decision })

const inTime = <F extends ComparedFill>(fills: ReadonlyArray<F>): ReadonlyArray<F> =>
  fills.toSorted((one, other) => one.time - other.time)

describe("the difference of a bot and its backtest", () => {
  it("is nothing where the fills are the same", () => {
    for (const { random } of draws("same fills differ in nothing", 200)) {
      const fills = inTime(
        Array.from({ length: 20 }, (_, index) =>
          Object.values(positionAt(random, index % 2, index * 10))
        ).flat()
      )
      const { byCause, differences, expectedSteps, realizedSteps, unexplainedSteps } = compare(
        fills,
        fills.map((fill) => made(fill))
      )
      assert.deepStrictEqual(differences, [])
      assert.strictEqual(expectedSteps, sum(fills))
      assert.strictEqual(realizedSteps, expectedSteps)
      assert.deepStrictEqual([...Object.values(byCause), unexplainedSteps], Array(8).fill(0n))
    }
  })

  it("is told by causes that add up to it, each with the amount that it has cost", () => {
    for (const { random, seed } of draws("causes add up", 2_000)) {
      const expected: Array<ComparedFill> = []
      const realized: Array<RealizedFill> = []
      const records = {
        heldBack: [] as Array<Stretch>,
        missed: [] as Array<Stretch>,
        unfilled: [] as Array<UnfilledOrder>
      }
      const wanted = new Map<Cause, bigint>(causes.map((cause) => [cause, 0n]))
      for (let index = 0; index < 24; index++) {
        const position = positionAt(random, index % 2, index * 10)
        const fills = [position.entry, position.exit]
        const cause = random.pick([null, ...causes])
        const bot: Disturbed =
          cause === null
            ? { realized: fills.map((fill) => made(fill)) }
            : disturb[cause](position, random)
        expected.push(...fills)
        realized.push(...bot.realized)
        records.heldBack.push(...(bot.heldBack ?? []))
        records.missed.push(...(bot.missed ?? []))
        records.unfilled.push(...(bot.unfilled ?? []))
        if (cause === null) continue
        wanted.set(cause, wanted.get(cause)! + sum(bot.realized) - sum(fills))
      }
      const found = compare(inTime(expected), inTime(realized), records)
      const all = causes.reduce((steps, cause) => steps + found.byCause[cause], 0n)
      assert.strictEqual(
        all + found.unexplainedSteps,
        found.realizedSteps - found.expectedSteps,
        seed
      )
      assert.strictEqual(found.unexplainedSteps, 0n, seed)
      // Parts of a fill are rounded each for itself.
      for (const cause of causes) {
        const said = `${seed}: ${cause} ${found.byCause[cause]} ${wanted.get(cause)}`
        assert.isTrue(isNear(found.byCause[cause], wanted.get(cause)!, 60n), said)
      }
    }
  })

  it("stays unexplained where no record names a cause", () => {
    const { entry, exit } = positionAt(makeRandom("lost"), 0, 100)
    const found = compare([entry, exit], [])
    assert.strictEqual(found.unexplainedSteps, -sum([entry, exit]))
    assert.deepStrictEqual(
      found.differences.map(({ cause, follows }) => [cause, follows]),
      [
        [null, false],
        [null, false]
      ]
    )
  })

  it("does not take a refusal, or a stretch, for the cause of what came before it", () => {
    const { entry, exit } = positionAt(makeRandom("early"), 0, 100)
    const later = { ...entry, time: entry.time + 3 }
    const records = {
      unfilled: [
        { ...later, cause: "refusal" as const, filledTime: null, overTime: null, isOpen: false }
      ],
      heldBack: [{ after: later.time, until: Number.POSITIVE_INFINITY }]
    }
    assert.isNull(compare([entry, exit], [made(exit)], records).differences[0]!.cause)
  })

  it("has the cause of its entry where the exit is missing too", () => {
    const position = positionAt(makeRandom("follows"), 0, 100)
    const { entry, exit } = position
    const found = compare([entry, exit], [], { unfilled: [refusalOf(position)] })
    assert.deepStrictEqual(
      found.differences.map(({ cause, follows }) => [cause, follows]),
      [
        ["refusal", false],
        ["refusal", true]
      ]
    )
  })

  it("is a refusal that the bot heard only after the backtest had filled again", () => {
    const first = positionAt(makeRandom("first"), 0, 100)
    const second = positionAt(makeRandom("second"), 0, 107)
    const refused = { ...refusalOf(second), time: 104, overTime: 106 }
    const found = compare(
      [first.entry, first.exit, second.entry, second.exit],
      [made(first.entry), made(first.exit)],
      { unfilled: [refused] }
    )
    assert.deepStrictEqual(
      found.differences.map(({ cause }) => cause),
      ["refusal", "refusal"]
    )
  })

  it("is no refusal of an order that was decided only after the fill", () => {
    const first = positionAt(makeRandom("first"), 0, 100)
    const second = positionAt(makeRandom("second"), 0, 107)
    const early = { ...refusalOf(first), time: 99 }
    const late = { ...refusalOf(second), time: first.entry.time }
    const fills = [first.entry, { ...first.exit, time: 101 }, second.entry, second.exit]
    const causesOf = (unfilled: ReadonlyArray<UnfilledOrder>) =>
      compare(fills, [], { unfilled }).differences.map(({ cause }) => cause)
    assert.deepStrictEqual(causesOf([early, { ...late, overTime: 103 }]), [
      "refusal",
      "refusal",
      "refusal",
      "refusal"
    ])
    assert.deepStrictEqual(causesOf([late]).slice(0, 2), [null, null])
  })

  it("is what kept the bot from ordering an entry, which rested in the backtest ever since", () => {
    const { entry, exit } = positionAt(makeRandom("rested"), 0, 100)
    const rested = { ...entry, since: entry.time - 8 }
    const causeOf = (until: number, expected = rested) => {
      const barred = [{ after: entry.time - 10, until }]
      return compare([expected, exit], [], { barred }).differences[0]!.cause
    }
    assert.strictEqual(causeOf(rested.since), "refusal")
    assert.isNull(causeOf(rested.since - 1))
    assert.isNull(causeOf(rested.since, entry))
    const missed = [{ after: rested.since - 1, until: rested.since }]
    const found = compare([rested, exit], [], { missed })
    assert.strictEqual(found.differences[0]!.cause, "missed_candle")
  })

  it("ends with the position: a later one that is missing has no cause of it", () => {
    const first = positionAt(makeRandom("first"), 0, 100)
    const second = positionAt(makeRandom("second"), 0, 200)
    const found = compare(
      [first.entry, first.exit, second.entry, second.exit],
      [made({ ...first.entry, price: 99 }), made(first.exit)]
    )
    assert.deepStrictEqual(
      found.differences.map(({ cause }) => cause),
      ["slippage", null, null]
    )
  })

  it("is a command's where somebody closed the position", () => {
    const { entry, exit } = positionAt(makeRandom("closed"), 0, 100)
    const closed = made({ ...exit, time: exit.time - 2 }, { isCommanded: true })
    const found = compare([entry, exit], [made(entry), closed])
    assert.deepStrictEqual(
      found.differences.map(({ cause }) => cause),
      ["command", "command"]
    )
    assert.strictEqual(found.unexplainedSteps, 0n)
  })

  it("is a refusal where a position left because its stop did not rest", () => {
    const { entry, exit } = positionAt(makeRandom("bare"), 0, 100)
    const bare = { isUnprotected: true, isLate: true, isPriced: true }
    const alone = made({ ...exit, leg: "stop_loss", time: exit.time - 2 }, bare)
    const paired = made({ ...exit, time: exit.time - 2, price: exit.price - 1 }, bare)
    // The price of the entry differed before.
    const dear = made({ ...entry, price: entry.price + 1 })
    for (const left of [alone, paired]) {
      const { differences, unexplainedSteps } = compare([entry, exit], [dear, left])
      assert.strictEqual(unexplainedSteps, 0n)
      assert.strictEqual(differences[0]!.cause, "slippage")
      const later = differences.slice(1).filter(({ cause }) => cause !== "fee")
      assert.isAbove(later.length, 0)
      assert.isTrue(later.every(({ cause }) => cause === "refusal"))
    }
  })

  it("is a delay where an entry fills beside another of its group, whatever differed before", () => {
    const { entry, exit } = positionAt(makeRandom("beside"), 0, 100)
    const other = made({ ...entry, price: 99 }, { isBesideOther: true, isPriced: true })
    const both = made({ ...exit, quantity: 2 * exit.quantity, fee: 2 * exit.fee })
    const found = compare([entry, exit], [made({ ...entry, price: 101 }), other, both])
    assert.deepStrictEqual(
      found.differences.map(({ cause, expectedTime }) => [cause, expectedTime === null]),
      [
        ["slippage", false],
        ["delay", true],
        ["slippage", true]
      ]
    )
    assert.strictEqual(found.unexplainedSteps, 0n)
  })

  it("is slippage where an exchange reaches a price before the candles do, or without them", () => {
    const { entry, exit } = positionAt(makeRandom("reached"), 0, 100)
    const priced = (fill: ComparedFill, fields: Partial<RealizedFill>) =>
      made(fill, { isPriced: true, ...fields })
    const early = compare([entry, exit], [made(entry), priced(exit, { time: exit.time - 2 })])
    const alone = compare([], [priced(entry, {}), priced(exit, {})])
    for (const { differences, unexplainedSteps } of [early, alone]) {
      assert.strictEqual(unexplainedSteps, 0n)
      assert.isTrue(differences.every(({ cause }) => cause === "slippage"))
    }
    assert.isNull(compare([], [made(entry)]).differences[0]!.cause)
    assert.strictEqual(compare([], [made(entry, { isLate: true })]).differences[0]!.cause, "delay")
  })

  it("is what became of the order that lacks its fill", () => {
    const { entry, exit } = positionAt(makeRandom("lacking"), 0, 100)
    const decided = { ...entry, time: entry.time - 3, filledTime: null, overTime: null }
    for (const cause of ["command", "part", "delay"] as const) {
      const order = { ...decided, cause, isOpen: cause === "delay" }
      const found = compare([entry, exit], [], { unfilled: [order] })
      assert.strictEqual(found.byCause[cause], found.realizedSteps - found.expectedSteps)
    }
    const filledBefore = { ...decided, cause: "delay", isOpen: false, filledTime: entry.time - 1 }
    const found = compare([entry, exit], [], { unfilled: [filledBefore as UnfilledOrder] })
    assert.isNull(found.differences[0]!.cause)
  })

  it("is what became of the exit that was to take a profit, and of no other exit", () => {
    const { entry, exit } = positionAt(makeRandom("profit"), 0, 100)
    const target = { ...exit, leg: "take_profit", decision: "x103.target0" }
    const order: UnfilledOrder = {
      ...target,
      leg: "exit",
      time: target.time - 1,
      cause: "part",
      filledTime: null,
      overTime: target.time,
      isOpen: false
    }
    const later = made({ ...exit, time: exit.time + 1, decision: "x105" })
    const beside = (fields: Partial<UnfilledOrder>) =>
      told(compare([entry, target], [made(entry), later], { unfilled: [{ ...order, ...fields }] }))
    assert.deepStrictEqual(beside({}), ["part alone", "part follows"])
    const nothing = ["null alone", "null alone"]
    assert.deepStrictEqual(beside({ decision: "x103.target1" }), nothing)
    assert.deepStrictEqual(beside({ decision: null }), nothing)
    assert.deepStrictEqual(beside({ leg: "stop_loss" }), nothing)
  })

  it("is another price of one stop, whether or not the price had moved it", () => {
    const { entry, exit } = positionAt(makeRandom("stop"), 0, 100)
    const stop = decided({ ...exit, leg: "stop_loss" }, "e99:stop")
    const trailing = { ...stop, leg: "trailing_stop" }
    const moved = made({ ...trailing, price: stop.price + 1 }, { isPriced: true })
    assert.deepStrictEqual(told(compare([entry, stop], [made(entry), moved])), ["slippage alone"])
    const later = { ...moved, time: stop.time + 1 }
    assert.deepStrictEqual(told(compare([entry, stop], [made(entry), later])), ["delay alone"])
    const order: UnfilledOrder = {
      ...trailing,
      cause: "part",
      filledTime: null,
      overTime: stop.time,
      isOpen: false,
      time: 99
    }
    const lacking = compare([entry, stop], [made(entry)], { unfilled: [order] })
    assert.deepStrictEqual(told(lacking), ["part alone"])
  })

  it("is what became of the backtest's own order, and nothing where it has none", () => {
    const { entry } = positionAt(makeRandom("cut"), 0, 100)
    const own = decided(entry, "e99")
    const order = { market: 0, decision: "e99", isCut: false, overTime: null }
    const extra = made(own, { isPriced: true })
    const causeOf = (lacking: Comparison["lacking"], fill = extra) =>
      told(compare([], [fill], { lacking }))
    assert.deepStrictEqual(causeOf([{ ...order, isCut: true, overTime: 100 }]), ["part alone"])
    assert.deepStrictEqual(causeOf([{ ...order, overTime: 99 }]), ["delay alone"])
    assert.deepStrictEqual(causeOf([{ ...order, overTime: 100 }]), ["slippage alone"])
    assert.deepStrictEqual(causeOf([order], { ...extra, isLate: true }), ["slippage alone"])
    assert.deepStrictEqual(causeOf([]), ["null alone"])
    assert.deepStrictEqual(causeOf([{ ...order, market: 1 }]), ["null alone"])
    assert.deepStrictEqual(causeOf([{ ...order, decision: "e98" }]), ["null alone"])
    // A stop has no order of its own in a backtest.
    const stop = decided({ ...extra, leg: "stop_loss" }, "e99:stop")
    assert.deepStrictEqual(causeOf([], stop), ["slippage alone"])
  })

  it("is slippage where a price was reached before the backtest fills the same order", () => {
    const { entry } = positionAt(makeRandom("early part"), 0, 100)
    const own = decided({ ...entry, time: 102 }, "e99")
    const half = { quantity: own.quantity / 2, fee: own.fee / 2 }
    const early = made({ ...own, ...half, time: 101 }, { isPriced: true })
    const late = made({ ...own, ...half, time: 103 }, { isPriced: true, isLate: true })
    assert.notInclude(told(compare([own], [early, late])).join(), "null")
  })

  it("is a part as far as the backtest could not pay for an order that the bot filled", () => {
    const { entry, exit } = positionAt(makeRandom("unpaid"), 0, 100)
    const whole = decided(entry, "e99")
    const paid = { ...whole, quantity: entry.quantity / 2, fee: entry.fee / 2 }
    const left = decided({ ...exit, quantity: paid.quantity }, "x104")
    const lacking = [{ market: 0, decision: "e99", isCut: true, overTime: 100 }]
    const bot = [made(whole), made({ ...left, quantity: entry.quantity, fee: 2 * left.fee })]
    const found = told(compare([paid, left], bot, { lacking }))
    assert.deepStrictEqual(found, ["part alone", "part follows"])
    const nothing = ["null alone", "null alone"]
    assert.deepStrictEqual(told(compare([paid, left], bot)), nothing)
  })

  it("follows for an entry during which the gate of the backtest was shut", () => {
    const [missed, dearer, third] = [100, 110, 120].map((time) =>
      positionAt(makeRandom("shut"), 0, time)
    )
    const lossOf = ({ entry, exit }: Position, loss: number) => [
      entry,
      { ...exit, price: entry.price - loss }
    ]
    const expected = [...lossOf(missed!, 9), ...lossOf(dearer!, 1)]
    const bot = [
      ...lossOf(dearer!, 1).map((fill) => made({ ...fill, price: fill.price + fill.side / 8 })),
      made(third!.entry)
    ]
    const shut = [{ after: 115, until: Number.POSITIVE_INFINITY }]
    const heldBack = [stretchOf(missed!)]
    const lastOf = (records: Partial<Records>) =>
      told(compare(expected, bot, { heldBack, shut, ...records })).at(-1)
    // The bot has lost less because it was held back, and more by its prices.
    assert.strictEqual(lastOf({}), "command follows")
    assert.strictEqual(lastOf({ shut: [] }), "null alone")
    assert.strictEqual(lastOf({ shut: [{ after: 120, until: 130 }] }), "null alone")
    assert.strictEqual(lastOf({ shut: [{ after: 99, until: 130 }] }), "null alone")
    const opened = (time: number) => lastOf({ resumed: [time] })
    assert.deepStrictEqual([114, 117, 120].map(opened), [
      "command follows",
      "command alone",
      "command follows"
    ])
  })

  it("is slippage where the bot enters once its stop has filled at the open, and no other entry", () => {
    const { entry, exit } = positionAt(makeRandom("gap and entry"), 0, 100)
    const stop = { ...decided(exit, "e1"), leg: "stop_loss" }
    const again = decided({ ...entry, time: exit.time, since: exit.time }, "e2")
    const bot = [made(entry), made(stop, { isPriced: true })]
    const of = (fills: ReadonlyArray<RealizedFill>) => told(compare([entry, stop], fills))
    assert.deepStrictEqual(of([...bot, made(again)]), ["slippage alone"])
    const before = [bot[0]!, made(again), bot[1]!]
    assert.deepStrictEqual(of(before), ["null alone"], "it came before the stop")
    const atMarket = [bot[0]!, made(stop), made(again)]
    assert.deepStrictEqual(of(atMarket), ["null alone"])
  })

  it("is none where an exit of another purpose closes the same in the same candle", () => {
    const { entry, exit } = positionAt(makeRandom("gap"), 0, 100)
    const ruled = decided(exit, "x1")
    const stopped = { ...decided(exit, "e1"), leg: "stop_loss" }
    const of = (fills: ReadonlyArray<RealizedFill>) => told(compare([entry, ruled], fills))
    assert.deepStrictEqual(of([made(entry), made(stopped)]), [])
    const later = made({ ...stopped, time: exit.time + 1 })
    assert.deepStrictEqual(of([made(entry), later]), ["null alone", "null alone"])
  })

  it("of a size has the cause of the change of cash before it, where sizes follow equity", () => {
    const { entry, exit } = positionAt(makeRandom("charged"), 0, 100)
    const fills = [entry, exit].map((fill) => ({ ...fill, fee: 0 }))
    const larger = fills.map((fill) => made({ ...fill, quantity: fill.quantity + 1 }))
    const of = (records: Partial<Records>) => told(compare(fills, larger, records))
    const charge = { cause: "fee", time: 99 } as const
    assert.deepStrictEqual(of({}), ["null alone", "null alone"])
    assert.deepStrictEqual(of({ charges: [charge] }), ["fee follows", "fee follows"])
    const later = { ...charge, time: 100 }
    assert.deepStrictEqual(of({ charges: [later] })[0], "null alone", "it came after the order")
    assert.deepStrictEqual(of({ charges: [charge], lasting: "nothing" })[0], "null alone")
  })

  it("of an exit in the candle of its entry is the bot's own, whatever differed before", () => {
    const { entry, exit } = positionAt(makeRandom("wick"), 0, 100)
    const at = exit.time + 5
    const wick = [entry, exit].map((fill) => ({ ...fill, time: at, since: at }))
    const [enters, leaves] = [wick[0]!, { ...wick[1]!, leg: "take_profit" }]
    const smaller = made({ ...entry, quantity: entry.quantity / 2 }, { lack: "part" })
    const half = entry.quantity / 2
    const bot = [smaller, made({ ...exit, quantity: half }), made({ ...enters, quantity: half })]
    const order = { ...leaves, filledTime: null, isOpen: true, overTime: null, time: at - 1 }
    const unfilled = [{ ...order, cause: "delay" as const }]
    const found = compare([entry, exit, enters, leaves], bot, { unfilled, lasting: "everything" })
    assert.strictEqual(told(found).at(-1), "delay alone")
  })

  it("goes on until both hold nothing, also where the exit came early", () => {
    const { entry, exit } = positionAt(makeRandom("apart"), 0, 100)
    const early = made({ ...exit, time: exit.time - 2 }, { isPriced: true })
    const between = made({ ...entry, time: exit.time - 1 })
    const found = compare([entry, exit], [made(entry), early, between])
    assert.deepStrictEqual(found.differences.at(-1), {
      ...found.differences.at(-1)!,
      cause: "slippage",
      follows: true
    })
    assert.strictEqual(found.unexplainedSteps, 0n)
  })

  it("is a delay where an order fills after its backtest has turned", () => {
    const { entry, exit } = positionAt(makeRandom("turned"), 0, 100)
    const late = made({ ...entry, time: exit.time + 1 })
    const order: UnfilledOrder = {
      ...entry,
      cause: "delay",
      time: entry.time - 1,
      filledTime: late.time,
      overTime: null,
      isOpen: false
    }
    const found = compare([entry, exit], [late], { unfilled: [order] })
    assert.strictEqual(found.unexplainedSteps, 0n)
    assert.strictEqual(found.differences[0]!.cause, "delay")
  })

  it("goes on while the bot waits for an order that its backtest has filled", () => {
    const first = positionAt(makeRandom("first"), 0, 100)
    const second = positionAt(makeRandom("second"), 0, 200)
    const order: UnfilledOrder = {
      ...first.entry,
      cause: "part",
      time: 99,
      filledTime: null,
      overTime: 201,
      isOpen: false
    }
    const fills = [first.entry, first.exit, second.entry, second.exit]
    const causesOf = (overTime: number) =>
      compare(fills, [], { unfilled: [{ ...order, overTime }] }).differences.map((one) => one.cause)
    assert.deepStrictEqual(causesOf(201), ["part", "part", "part", "part"])
    assert.deepStrictEqual(causesOf(150), ["part", "part", null, null])
  })

  it("goes on while a fill that the backtest has had is yet to come", () => {
    const first = positionAt(makeRandom("pending"), 0, 100)
    const second = positionAt(makeRandom("kept from"), 0, 110)
    const stop = { ...first.exit, time: first.entry.time, leg: "stop_loss" }
    const late = made({ ...first.entry, time: 108 }, { isLate: true })
    const exit = made({ ...second.exit, time: 112, quantity: late.quantity })
    const found = compare([first.entry, stop, second.entry, second.exit], [late, exit])
    assert.strictEqual(found.unexplainedSteps, 0n)
    assert.isTrue(found.differences.some(({ expectedTime }) => expectedTime === 110))
    // Once both are flat, an entry that is missing has no cause of it.
    const third = positionAt(makeRandom("flat"), 0, 120)
    const flat = [made({ ...first.entry, time: 103 }), made({ ...stop, time: 104 })]
    const later = compare([first.entry, stop, third.entry, third.exit], flat)
    assert.isNull(later.differences.find(({ expectedTime }) => expectedTime === 120)!.cause)
  })

  it("is what kept the bot from an entry, which might have rested at its price", () => {
    const { entry, exit } = positionAt(makeRandom("passed over"), 0, 100)
    const passed = { cause: "command", market: 0, side: 1, time: entry.time - 4 } as const
    const causeOf = (fields: Partial<typeof passed> | { side: -1 } | { time: number }) =>
      compare([entry, exit], [], { passedOver: [{ ...passed, ...fields }] }).differences[0]!.cause
    assert.strictEqual(causeOf({}), "command")
    assert.isNull(causeOf({ side: -1 }))
    assert.isNull(causeOf({ time: entry.time }))
    const before = positionAt(makeRandom("before it"), 0, entry.time - 3)
    const shifted = { ...exit, time: entry.time + 9 }
    const fills = [before.entry, { ...before.exit, time: entry.time - 1 }]
    const [missing] = compare(
      [...fills, entry, shifted],
      fills.map((fill) => made(fill)),
      {
        passedOver: [passed]
      }
    ).differences
    assert.isNull(missing!.cause)
  })

  it("goes on while parts of an entry are yet to come, for another one that the bot lacks", () => {
    const first = positionAt(makeRandom("in parts"), 0, 100)
    const second = positionAt(makeRandom("beside parts"), 0, 110)
    const { entry, exit } = first
    const half = { quantity: entry.quantity / 2, fee: 0.1 }
    const parts = [
      made({ ...entry, ...half }, { lack: "delay" }),
      made({ ...exit, ...half }, { lack: "delay" })
    ]
    const order = { ...entry, cause: "delay", time: 99, filledTime: 100, isOpen: false } as const
    const fills = [entry, exit, second.entry, second.exit]
    const causesOf = (fields: Partial<UnfilledOrder>) =>
      compare(fills, parts, { unfilled: [{ ...order, overTime: 110, ...fields }] })
        .differences.filter(({ expectedTime }) => expectedTime! >= 110)
        .map(({ cause }) => cause)
    assert.deepStrictEqual(causesOf({}), ["delay", "delay"])
    assert.deepStrictEqual(causesOf({ overTime: 109 }), [null, null])
    assert.deepStrictEqual(causesOf({ market: 1 }), [null, null])
    assert.deepStrictEqual(causesOf({ filledTime: null, leg: "exit" }), [null, null])
  })

  it("goes on for an entry during the cooldown that the last exit of the other side began", () => {
    const { entry, exit } = positionAt(makeRandom("cooled"), 0, 100)
    const second = positionAt(makeRandom("after it"), 0, 112)
    const late = made({ ...exit, time: 107, coolsUntil: 112 }, { isLate: true })
    const early = { ...exit, coolsUntil: 110 }
    const causesOf = (
      expected: ReadonlyArray<ComparedFill>,
      realized: ReadonlyArray<RealizedFill>
    ) =>
      compare(expected, realized)
        .differences.filter((one) => (one.expectedTime ?? one.realizedTime!) >= 112)
        .map(({ cause, follows }) => `${cause} ${follows}`)
    const entered = [second.entry, second.exit]
    const followed = Array(2).fill("delay true")
    const alone = Array(2).fill("null false")
    const bot = [made(entry), late]
    assert.deepStrictEqual(causesOf([entry, early, ...entered], bot), followed)
    const shorter = [made(entry), { ...late, coolsUntil: 111 }]
    assert.deepStrictEqual(causesOf([entry, early, ...entered], shorter), alone)
    const same = [made(entry), made({ ...exit, coolsUntil: 112 })]
    assert.deepStrictEqual(causesOf([entry, early, ...entered], same), alone)
    const others = entered.map((fill) => made(fill))
    const expected = [entry, { ...exit, time: 106, coolsUntil: 112 }]
    const sooner = made({ ...exit, time: 104 }, { isPriced: true })
    assert.deepStrictEqual(
      causesOf(expected, [made(entry), sooner, ...others]),
      Array(2).fill("slippage true")
    )
  })

  it("is a delay where the order fills on in a candle of the other side", () => {
    const { entry, exit } = positionAt(makeRandom("fills on"), 0, 100)
    const parts = [
      made({ ...entry, quantity: entry.quantity / 2, fee: entry.fee / 2 }, { lack: "delay" }),
      made({ ...exit, quantity: entry.quantity / 2, fee: exit.fee / 2 }),
      made({ ...entry, time: exit.time, quantity: entry.quantity / 2, fee: entry.fee / 2 })
    ]
    const found = compare([entry, exit], parts)
    assert.strictEqual(found.unexplainedSteps, 0n)
    assert.isTrue(found.differences.some(({ cause }) => cause === "delay"))
  })

  it("is a refusal where its exchange kept the bot from ordering", () => {
    const position = positionAt(makeRandom("barred"), 0, 100)
    const found = compare([position.entry, position.exit], [], { barred: [stretchOf(position)] })
    assert.strictEqual(found.byCause.refusal, found.realizedSteps - found.expectedSteps)
  })

  it("follows the equity where only the size differs", () => {
    const first = positionAt(makeRandom("size"), 0, 100)
    const second = positionAt(makeRandom("sized"), 0, 200)
    const smaller = (fill: ComparedFill) =>
      made({ ...fill, quantity: fill.quantity * 0.9, fee: fill.fee * 0.9 })
    const found = compare(
      [first.entry, first.exit, second.entry, second.exit],
      [
        made({ ...first.entry, price: 99 }),
        made(first.exit),
        smaller(second.entry),
        smaller(second.exit)
      ]
    )
    assert.isTrue(found.differences.every(({ cause }) => cause === "slippage" || cause === "fee"))
    assert.strictEqual(found.unexplainedSteps, 0n)
  })

  it("is a delay where the bot decided before it heard of the fill that its backtest knew", () => {
    const entry = fillOf({ time: 2, decision: "e1" })
    const exit = fillOf({ time: 3, side: -1, leg: "exit", decision: "x2" })
    const causesAfter = (heardAfter: number | null, fields: Partial<ComparedFill> = {}) =>
      compare([entry, { ...exit, ...fields }], [made(entry, { heardAfter })]).differences.map(
        ({ cause }) => cause
      )
    assert.deepStrictEqual(causesAfter(2), ["delay"])
    assert.deepStrictEqual(causesAfter(null), [null])
    assert.deepStrictEqual(causesAfter(2, { time: 4, decision: "x3" }), [null], "it knew then")
    assert.deepStrictEqual(causesAfter(2, { market: 1 }), [null])
  })

  it("is a delay only where the same decision fills later", () => {
    const { entry, exit } = positionAt(makeRandom("decided"), 0, 100)
    const heldBack = [{ after: 99, until: 102 }]
    const found = (decision: string) =>
      compare(
        [decided(entry, "e99"), decided(exit, "x104")],
        [
          made({ ...decided(entry, decision), time: 103, since: 103, price: entry.price + 1 }),
          made(decided(exit, "x104"))
        ],
        { heldBack }
      )
    assert.deepStrictEqual(told(found("e99")).slice(0, 1), ["delay alone"])
    assert.deepStrictEqual(told(found("e102")), ["command alone", "command follows"])
    assert.strictEqual(found("e102").unexplainedSteps, 0n)
    // A stop has the name of its entry, and may fill in any later candle.
    const stops = [entry, { ...exit, leg: "stop_loss" }].map((fill) => decided(fill, "e99"))
    const late = made({ ...stops[1]!, time: exit.time + 4 }, { isPriced: true })
    const next = fillOf({ ...entry, time: exit.time + 2, decision: "e106" })
    const bot = [made(stops[0]!), late, made(next)]
    assert.deepStrictEqual(told(compare([...stops, next], bot))[0] ?? "same", "same")
  })

  it("is nothing where fills of one candle came in another order", () => {
    const near = decided(fillOf({ time: 100, price: 101 }), "e99.near")
    const far = decided(fillOf({ time: 100, price: 99 }), "e99.far")
    assert.deepStrictEqual(told(compare([near, far], [made(far), made(near)])), [])
  })

  it("is a part as far as its order lacked it, and follows the equity beyond", () => {
    const first = positionAt(makeRandom("equity"), 0, 100)
    const { entry } = positionAt(makeRandom("lacks"), 0, 200)
    const bot = [
      made({ ...first.entry, price: 99 }),
      made(first.exit),
      made(
        { ...entry, quantity: entry.quantity / 2, fee: entry.fee / 2 },
        { lack: "part", lackQuantity: entry.quantity / 8 }
      )
    ]
    const found = compare([first.entry, first.exit, entry], bot)
    assert.deepStrictEqual(told(found), ["slippage alone", "slippage follows", "part alone"])
    assert.deepStrictEqual(
      found.differences.slice(1).map(({ quantity }) => quantity),
      [(entry.quantity * 3) / 8, entry.quantity / 8]
    )
    assert.strictEqual(found.unexplainedSteps, 0n)
    // More than was expected is no part, whatever its order lacks.
    const more = made(
      { ...entry, quantity: entry.quantity * 2, fee: entry.fee * 2 },
      { lack: "part" }
    )
    const [last] = told(
      compare([first.entry, first.exit, entry], [...bot.slice(0, 2), more])
    ).slice(-1)
    assert.strictEqual(last, "slippage follows")
  })

  it("follows where it adds to a position that the bot never opened, or closes it", () => {
    const position = positionAt(makeRandom("never"), 0, 100)
    const { entry, exit } = position
    const addition = { ...entry, time: entry.time + 2 }
    const whole = { ...exit, quantity: entry.quantity * 2 }
    // The command lasts until the exit, and a fill of its own would be a command's.
    const heldBack = [{ after: 103, until: 110 }]
    const records = { heldBack, unfilled: [refusalOf(position)] }
    assert.deepStrictEqual(told(compare([entry, addition, whole], [], records)), [
      "refusal alone",
      "refusal follows",
      "refusal follows"
    ])
    const held = compare([entry, { ...addition, time: 104, since: 104 }, whole], [made(entry)], {
      atRest: [{ after: 104, until: 110 }],
      heldBack
    })
    assert.deepStrictEqual(told(held), ["command alone", "command alone"])
  })

  it("is no command's during a pause where the bot may close what it holds", () => {
    const { entry, exit } = positionAt(makeRandom("paused"), 0, 100)
    const order: UnfilledOrder = {
      ...exit,
      cause: "part",
      time: exit.time - 1,
      filledTime: null,
      overTime: exit.time + 1,
      isOpen: false
    }
    const stretch = [{ after: exit.time - 1, until: exit.time + 2 }]
    const causesOf = (records: Partial<Records>) =>
      told(compare([entry, exit], [made(entry)], { unfilled: [order], ...records }))
    assert.deepStrictEqual(causesOf({ heldBack: stretch }), ["part alone"])
    assert.deepStrictEqual(causesOf({ heldBack: stretch, atRest: stretch }), ["command alone"])
  })

  it("follows on paper from what came before, in price, fee, quantity and candle", () => {
    const { entry, exit } = positionAt(makeRandom("on paper"), 0, 100)
    const closed = made({ ...exit, time: 102 }, { isCommanded: true })
    const second = positionAt(makeRandom("priced"), 0, 110)
    const limit = { price: second.entry.price + 1, fee: 0.4 }
    const bot = [
      made(entry),
      closed,
      made({ ...second.entry, ...limit, quantity: second.entry.quantity / 2 }, { isPriced: true }),
      made({ ...second.exit, quantity: second.entry.quantity / 2 }, { isPriced: true }),
      made({ ...entry, time: 130, since: 130 }, { isLate: true })
    ]
    const expected = [entry, exit, second.entry, second.exit]
    const onPaper = compare(expected, bot, { isOnPaper: true })
    assert.strictEqual(onPaper.unexplainedSteps, 0n)
    assert.strictEqual(onPaper.byCause.command, onPaper.realizedSteps - onPaper.expectedSteps)
    assert.deepStrictEqual([...new Set(told(onPaper))], ["command alone", "command follows"])
    const kinds = new Set(compare(expected, bot).differences.map(({ cause }) => cause))
    assert.deepStrictEqual(kinds, new Set<Cause>(["command", "slippage", "fee", "delay"]))
  })

  it("begins on paper with the newest record before it, and is unexplained without any", () => {
    const { entry, exit } = positionAt(makeRandom("records"), 0, 100)
    const bot = [made(entry, { isPriced: true }), made(exit)]
    const causesOf = (records: Partial<Records>) =>
      told(compare([], bot, { isOnPaper: true, ...records }))
    const passedOver = [{ cause: "missed_candle", market: 0, side: 1, time: 96 } as const]
    const heldBack = [{ after: 90, until: 95 }]
    assert.deepStrictEqual(causesOf({ heldBack }), ["command alone", "command follows"])
    assert.deepStrictEqual(causesOf({ heldBack, passedOver }), [
      "missed_candle alone",
      "missed_candle follows"
    ])
    assert.deepStrictEqual(causesOf({}), ["null alone", "null alone"])
    const later = [{ after: entry.time, until: entry.time + 1 }]
    assert.deepStrictEqual(causesOf({ heldBack: later }).slice(0, 1), ["null alone"])
    // A candle that it never processed makes it late.
    const decision = { decision: "e99" }
    const missed = [{ after: 99, until: 101 }]
    const late = made({ ...entry, ...decision, time: 101, price: entry.price + 1 })
    const found = compare([{ ...entry, ...decision }], [late], { isOnPaper: true, missed })
    assert.deepStrictEqual(told(found), ["delay alone"])
  })

  it("follows a command that took an order back, where another one fills in its place", () => {
    const near = decided(fillOf({ time: 100, price: 98, quantity: 2 }), "e90.line2")
    const far = decided(fillOf({ time: 100, price: 97, quantity: 2 }), "e90.line1")
    const again = (fill: ComparedFill, line: string) =>
      made({ ...decided(fill, `e95.${line}`), quantity: 1.9, fee: 0.095 }, { isPriced: true })
    const bot = [again(near, "line2"), { ...again(far, "line1"), quantity: 2.1, fee: 0.105 }]
    const orders = [near, far].map((fill): UnfilledOrder => ({
      ...fill,
      cause: "command",
      filledTime: null,
      overTime: 94,
      isOpen: false,
      time: 90
    }))
    for (const isOnPaper of [false, true]) {
      const found = compare([near, far], bot, { isOnPaper, unfilled: orders })
      assert.deepStrictEqual(told(found), ["command follows", "command follows"])
      assert.strictEqual(found.byCause.command, found.realizedSteps - found.expectedSteps)
    }
    // A line is paired with itself, whichever the bot filled first.
    const swapped = compare([near, far], bot.toReversed(), { unfilled: orders })
    assert.deepStrictEqual(told(swapped), ["command follows", "command follows"])
    // No order is known of a decision that came while the bot was kept from ordering.
    const heldBack = [{ after: near.since - 1, until: near.since }]
    assert.deepStrictEqual(told(compare([near], [bot[0]!], { heldBack })), ["command follows"])
    const lower = [{ ...bot[0]!, price: 97.5 }]
    assert.deepStrictEqual(told(compare([near], lower, { unfilled: orders })), [
      "command follows",
      "command follows"
    ])
    const others = orders.map((order) => ({ ...order, decision: "e80.line2" }))
    assert.deepStrictEqual(told(compare([near], [bot[0]!], { unfilled: others })), ["null alone"])
    const open = orders.map((order) => ({ ...order, cause: "delay" as const, isOpen: true }))
    assert.deepStrictEqual(told(compare([near], [bot[0]!], { unfilled: open })), ["null alone"])
  })
})

describe("the effect of a difference on a bot on paper", () => {
  const first = positionAt(makeRandom("held back"), 0, 100)
  const second = positionAt(makeRandom("agreed"), 0, 110)
  const third = positionAt(makeRandom("anew"), 0, 120)
  const named = ({ entry, exit }: Position, at: number) => [
    decided(entry, `e${at}`),
    decided(exit, `x${at}`)
  ]
  const [all, same, last] = [named(first, 99), named(second, 109), named(third, 119)]
  const expected = [...all, ...same, ...last]
  const heldBack = [{ after: 99, until: 101 }]
  const smaller = (fill: ComparedFill, share = 0.9) =>
    made({ ...fill, quantity: fill.quantity * share, fee: fill.fee * share })
  const whole = (fill: ComparedFill) => made(fill)
  /** The causes of the last position, which the bot lacks or has. */
  const lastOf = (
    realized: ReadonlyArray<RealizedFill>,
    lasting: Comparison["lasting"],
    records: Partial<Comparison> = {}
  ) => {
    const found = compare(expected, realized, { isOnPaper: true, heldBack, lasting, ...records })
    return found.differences
      .filter((one) => (one.expectedTime ?? one.realizedTime)! >= 120)
      .map(({ cause, follows }) => `${cause} ${follows ? "follows" : "alone"}`)
  }
  const follows = ["command follows", "command follows"]
  const alone = ["null alone", "null alone"]

  it("ends once both sides open the same position", () => {
    assert.deepStrictEqual(lastOf(same.map(whole), "nothing"), alone)
    assert.deepStrictEqual(lastOf(same.map(whole), "sizes"), alone)
    assert.deepStrictEqual(lastOf(same.map(whole), "everything"), follows)
    const other = [made(decided(same[0]!, "e107")), made(same[1]!)]
    assert.deepStrictEqual(lastOf(other, "nothing"), follows)
    const dearer = [made({ ...same[0]!, price: 99 }), made(same[1]!)]
    assert.deepStrictEqual(lastOf(dearer, "nothing"), follows)
    assert.deepStrictEqual(lastOf([], "nothing"), follows)
    // Another command comes after it.
    const passedOver = [{ cause: "command", market: 1, side: 1, time: 115 } as const]
    assert.deepStrictEqual(lastOf(same.map(whole), "nothing", { passedOver }), [
      "command alone",
      "command follows"
    ])
  })

  it("goes on in sizes only, where these depend on equity", () => {
    const sized = [...same, ...last].map((fill) => smaller(fill))
    assert.deepStrictEqual(lastOf(sized, "sizes"), follows)
    assert.deepStrictEqual(
      lastOf([...same.map(whole), ...last.map((one) => smaller(one))], "nothing"),
      alone
    )
    const lacking = same.map((fill) => smaller(fill))
    assert.deepStrictEqual(lastOf(lacking, "sizes"), alone)
    // No size keeps a bot from the exit of a position that it has.
    const held = [...lacking, smaller(last[0]!)]
    assert.deepStrictEqual(lastOf(held, "sizes"), ["command follows", "null alone"])
    assert.deepStrictEqual(lastOf(held, "everything"), follows)
  })

  it("ends also where both turn from one position to the other", () => {
    const short = decided({ ...second.entry, side: -1 as const }, "s109")
    const cover = decided({ ...second.exit, side: 1 as const }, "c119")
    const turned = [
      ...all.slice(0, 1),
      { ...all[1]!, time: short.time, since: short.time },
      short,
      { ...cover, time: 120, since: 120 },
      ...last
    ]
    const bot = [
      made(decided({ ...all[0]!, time: 102, since: 102 }, "e101")),
      ...turned.slice(1, 4).map(whole)
    ]
    const causesOf = (lasting: Comparison["lasting"]) =>
      told(compare(turned, bot, { isOnPaper: true, heldBack, lasting })).slice(2)
    assert.deepStrictEqual(causesOf("nothing"), alone)
    assert.deepStrictEqual(causesOf("everything"), follows)
  })

  it("is no order's of the same kind that a command took back before", () => {
    const stop = { ...last[1]!, leg: "stop_loss" }
    const order: UnfilledOrder = {
      ...decided(stop, "e99"),
      cause: "command",
      filledTime: null,
      overTime: 101,
      isOpen: false,
      time: 99
    }
    const causeOf = (lasting: Comparison["lasting"]) =>
      told(
        compare([...all, ...same, last[0]!, stop], [...same.map(whole), made(last[0]!)], {
          isOnPaper: true,
          heldBack,
          lasting,
          unfilled: [order]
        })
      ).at(-1)
    assert.strictEqual(causeOf("nothing"), "null alone")
    assert.strictEqual(causeOf("everything"), "command follows")
  })
})
