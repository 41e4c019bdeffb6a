/**
 * The result of a position is never better than what any path inside its candles would have given.
 *
 * It holds for positions entered at an open or a close, where a maker's fee is at most a taker's.
 * They are left by a fixed stop, a fixed target, a liquidation or an order at an open or a close. A
 * path goes from the open through both extremes to the close, in either order, without a jump.
 * Between candles the market may gap, and the coarse candles see that gap as well.
 *
 * Trailing stops and break-even are raised at the end of a candle, and a path may reach the raised
 * stop inside it. There `worstPathPnl` and `bestPathPnl` bound the result of a path, and the
 * position is ambiguous where a path gives another result.
 *
 * It is not claimed for entries that fill inside a candle, whose stop is looked at from the next
 * candle on.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type MarketSpec,
  type MatchFill,
  makeOutcome,
  type OrderReason
} from "../../src/kernel/account.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { type EntryLevels, exitOrder } from "../../src/kernel/decide.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import type { RoundTrip } from "../../src/kernel/ledger.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { type Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { simulate, type SimulationInput } from "../../src/kernel/simulate.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

type Point = number
type Path = ReadonlyArray<Point>
type DrawPath = (candle: ReturnType<typeof candleAt>) => Path

/** From the open through the extremes to the close, and nowhere else. */
const straight =
  (isHighFirst: boolean): DrawPath =>
  ({ open, high, low, close }) =>
    isHighFirst ? [open, high, low, close] : [open, low, high, close]

/** With detours anywhere between the extremes, some of them on the prices of the candle. */
const winding =
  (random: Random): DrawPath =>
  (candle) => {
    const { high, low } = candle
    const detours = (): Path =>
      Array.from({ length: random.integer(0, 4) }, () =>
        random.next() < 0.3 ? random.pick([high, low]) : low + random.next() * (high - low)
      ).map((price) => Math.min(high, Math.max(low, price)))
    return straight(random.next() < 0.5)(candle).flatMap((price, at) =>
      at === 0 ? [price] : [...detours(), price]
    )
  }

/**
 * A candle for the open, and one for each stretch of the path; one that goes nowhere has a candle
 * as well.
 */
const toFineCandles = (path: Path, time: number) =>
  path.map((close, at) => {
    const open = path[at === 0 ? 0 : at - 1]!
    return {
      market: 0,
      time: time + at,
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close
    }
  })

type Kind = "fixed" | "moving"

const drawExits = (random: Random, kind: Kind): AttachedExits => {
  const level = (): ExitLevel =>
    random.pick<ExitLevel>([
      { kind: "fraction", value: 0.002 + random.next() * 0.04 },
      { kind: "distance", value: 0.5 + random.next() * 4 },
      { kind: "price", value: random.integer(70, 130) }
    ])
  const fixed = {
    stopLoss: random.next() < 0.9 ? level() : null,
    takeProfit: random.next() < 0.9 ? level() : null,
    trailingStop: null,
    breakEven: null
  }
  if (kind === "fixed") return fixed
  const near = (): ExitLevel => ({ kind: "fraction", value: 0.002 + random.next() * 0.02 })
  const distance = random.pick<ExitLevel>([
    near(),
    { kind: "distance", value: 0.5 + random.next() }
  ])
  return {
    ...fixed,
    trailingStop:
      random.next() < 0.7 ? { distance, activation: random.pick([null, near()]) } : null,
    breakEven:
      random.next() < 0.5 ? { activation: near(), offsetRate: random.pick([0, 0.001, 0.03]) } : null
  }
}

const drawFlags = (random: Random, length: number, rate: number): Uint8Array =>
  Uint8Array.from({ length }, () => (random.next() < rate ? 1 : 0))

interface Drawn {
  readonly input: SimulationInput
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  readonly levels: ReadonlyArray<EntryLevels>
}

const drawInput = (random: Random, kind: Kind = "fixed"): Drawn => {
  const columns = drawCandles(random, "1h", 200)
  const { length } = columns
  const levels = Array.from({ length }, () => ({
    long: drawExits(random, kind),
    short: drawExits(random, kind),
    volatility: Number.NaN
  }))
  const makerRate = random.pick([0, 0.0005])
  const spec: MarketSpec = {
    tick: random.pick([0, 0.01, 0.5]),
    lot: 0,
    minNotional: 0,
    makerRate,
    takerRate: makerRate + random.pick([0, 0.001]),
    feePerFill: random.pick([0, 0.1]),
    slippageRate: random.pick([0, 0.001]),
    canShort: true,
    leverage: 20
  }
  const signals = {
    enterLong: drawFlags(random, length, 0.15),
    exitLong: drawFlags(random, length, 0.05),
    enterShort: drawFlags(random, length, 0.1),
    exitShort: drawFlags(random, length, 0.05)
  }
  const input: SimulationInput = {
    markets: [{ columns, signals, levelsAt: (at) => levels[at]!, spec }],
    plan: {
      entry: { type: "market", offsetRate: 0, expiresAfter: null },
      sizing: { type: "fixed_quantity", quantity: 2 },
      timeLimit: random.pick([null, 12]),
      positionsMax: 1,
      cooldown: 0,
      cooldownAfterStop: 0
    },
    // A little is liquidated now and then, a lot never.
    capital: random.pick([60, 1e6]),
    limits: noRiskLimits,
    fill: random.pick(["next_open", "close"]),
    endOfData: "close"
  }
  return { input, columns, spec, levels }
}

interface Position {
  readonly entry: MatchFill
  readonly closed: RoundTrip
  /** The cash of the account before the entry. */
  readonly cash: number
}

/** The positions of a run, with the cash that each began with. */
const positionsOf = (capital: number, fills: ReadonlyArray<MatchFill>): ReadonlyArray<Position> => {
  const positions: Array<Position> = []
  let cash = capital
  let entry: { readonly fill: MatchFill; readonly cash: number } | null = null
  for (const fill of fills) {
    if (entry === null) entry = { fill, cash }
    else if (fill.closed !== null) {
      positions.push({ entry: entry.fill, closed: fill.closed, cash: entry.cash })
      entry = null
    }
    cash = cash - fill.side * (fill.quantity * fill.price) - fill.fee
  }
  return positions
}

const isOrdered = (
  closed: RoundTrip
): closed is RoundTrip & { readonly exitReason: OrderReason } => {
  const { exitReason } = closed
  return exitReason === "signal" || exitReason === "time_limit" || exitReason === "end_of_data"
}

/** Lives through a position again on the path, and gives how it was closed there. */
const relive = (
  { entry, closed, cash }: Position,
  { columns, input, levels, spec }: Drawn,
  draw: DrawPath
): RoundTrip => {
  const account = SimulatedAccount.open(cash, [spec])
  const outcome = makeOutcome()
  const isAtClose = input.fill === "close"
  const decidedAt = isAtClose ? entry.index : entry.index - 1
  const order = {
    id: entry.orderId,
    side: entry.side,
    type: "market",
    leg: "entry",
    quantity: entry.quantity,
    limit: null,
    stop: null,
    expiresAfter: null,
    reason: "signal",
    attached: entry.side === 1 ? levels[decidedAt]!.long : levels[decidedAt]!.short
  } as const
  const book = account.book(0)
  const show = (at: number): void => {
    const { time, ...prices } = candleAt(columns, at)
    for (const candle of toFineCandles(draw({ time, ...prices }), time)) {
      account.show([candle])
    }
  }
  if (isAtClose) show(entry.index)
  account.place(0, order)
  if (isAtClose) account.atClose(0)
  const leavesAtOpen = isOrdered(closed) && !isAtClose && closed.exitReason !== "end_of_data"
  for (let at = isAtClose ? entry.index + 1 : entry.index; at <= closed.exitIndex; at += 1) {
    if (leavesAtOpen && at === closed.exitIndex) {
      account.place(0, exitOrder(book, closed.exitReason))
    }
    show(at)
  }
  if (isOrdered(closed) && !leavesAtOpen) {
    account.place(0, exitOrder(book, closed.exitReason))
    account.atClose(0)
  }
  account.drain(outcome)
  const [first, last] = outcome.fills
  assert.strictEqual(first?.price, entry.price)
  assert.strictEqual(first?.quantity, entry.quantity)
  assert.isNotNull(last?.closed ?? null, "every path closes within the same candle")
  return last!.closed!
}

/** The largest difference by rounding where sums are made in another order. */
const roundingMax = 1e-9

describe("the pessimistic result of a position", () => {
  it("is never better than that of any path inside its candles", () => {
    const seen = { positions: 0, ambiguous: 0, liquidations: 0, ordered: 0, better: 0 }
    for (const { number, random } of draws("paths", 300)) {
      const drawn = drawInput(random)
      const { fills } = simulate(drawn.input)
      for (const position of positionsOf(drawn.input.capital, fills)) {
        const { closed } = position
        const where = `run ${number}, position of candle ${closed.entryIndex}`
        for (let path = 0; path < 6; path += 1) {
          const draw = path < 2 ? straight(path === 0) : winding(random)
          const { pnl } = relive(position, drawn, draw)
          assert.isAtMost(closed.pnl, pnl + roundingMax, where)
          assert.isAtMost(pnl, closed.bestPathPnl + roundingMax, where)
          if (pnl > closed.pnl + roundingMax) seen.better += 1
        }
        seen.positions += 1
        if (closed.isAmbiguous) seen.ambiguous += 1
        if (closed.exitReason === "liquidation") seen.liquidations += 1
        if (isOrdered(closed)) seen.ordered += 1
      }
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(20), what)
  })

  it("is that of the worse order of the extremes, and the best path that of the better", () => {
    let ambiguousCount = 0
    for (const { number, random } of draws("paths", 300)) {
      const drawn = drawInput(random)
      const { fills } = simulate(drawn.input)
      for (const position of positionsOf(drawn.input.capital, fills)) {
        const { closed } = position
        if (closed.exitReason === "liquidation") continue
        const where = `run ${number}, position of candle ${closed.entryIndex}`
        const isLong = closed.direction === 1
        const worse = relive(position, drawn, straight(!isLong))
        const better = relive(position, drawn, straight(isLong))
        assert.closeTo(worse.pnl, closed.pnl, roundingMax, where)
        assert.closeTo(better.pnl, closed.bestPathPnl, roundingMax, where)
        if (closed.isAmbiguous) ambiguousCount += 1
        else assert.strictEqual(better.exitPrice, closed.exitPrice, where)
      }
    }
    assert.isAbove(ambiguousCount, atLeast(20))
  })

  it("is bounded by the worst and the best path where stops are raised, and told so", () => {
    const seen = { ambiguous: 0, held: 0, worse: 0, better: 0, certain: 0 }
    for (const { number, random } of draws("raised", 400)) {
      const drawn = drawInput(random, "moving")
      const { fills } = simulate(drawn.input)
      for (const position of positionsOf(drawn.input.capital, fills)) {
        const { closed } = position
        const where = `run ${number}, position of candle ${closed.entryIndex}`
        for (let path = 0; path < 6; path += 1) {
          const draw = path < 2 ? straight(path === 0) : winding(random)
          const { pnl } = relive(position, drawn, draw)
          assert.isAtMost(closed.worstPathPnl, pnl + roundingMax, where)
          assert.isAtMost(pnl, closed.bestPathPnl + roundingMax, where)
          if (!closed.isAmbiguous) assert.closeTo(pnl, closed.pnl, roundingMax, where)
          if (pnl < closed.pnl - roundingMax) seen.worse += 1
          if (pnl > closed.pnl + roundingMax) seen.better += 1
        }
        if (!closed.isAmbiguous) seen.certain += 1
        else {
          seen.ambiguous += 1
          if (isOrdered(closed)) seen.held += 1
        }
      }
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(20), what)
  })
})
