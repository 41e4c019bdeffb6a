/**
 * The result of chance with the same number of round trips.
 *
 * They are held as long and as large, in the same direction and at the same costs.
 *
 * @since 0.1.0
 */
import {
  type Measurement,
  measureOne,
  type Objective,
  scoreOf,
  toEquityMeasurement
} from "@candlewick/engine"
import {
  addPosition,
  type CandleColumns,
  type RoundTrip,
  makePositionSums,
  type MarketSpec,
  type PositionSums,
  quantile,
  type Random,
  type Simulation,
  slip
} from "@candlewick/engine/kernel"

/** How a result ranks among random ones. */
export interface RandomRanking {
  readonly count: number
  /** Share of the random results that were worse. */
  readonly beatenRate: number
  readonly median: number | null
  readonly p95: number | null
}

interface Hold {
  readonly market: number
  readonly direction: 1 | -1
  readonly heldCount: number
  /** Notional at entry as a fraction of equity. */
  readonly rate: number
}

interface Placed extends Hold {
  readonly entry: number
}

/** The times and sizes of positions, relative to the equity of their time. */
export const holdsOf = (simulation: Simulation, capital: number): ReadonlyArray<Hold> => {
  const { closed, equity, time } = simulation
  let step = 0
  return closed
    .toSorted((left, right) => left.entryTime - right.entryTime)
    .map(
      ({
        direction,
        entryIndex,
        entryPrice,
        entryTime,
        exitIndex,
        market,
        quantity
      }: RoundTrip) => {
        while (step < time.length && time[step]! < entryTime) step++
        const before = step === 0 ? capital : equity[step - 1]!
        return {
          market,
          direction,
          heldCount: Math.max(1, exitIndex - entryIndex),
          rate: before > 0 ? (quantity * entryPrice) / before : 0
        }
      }
    )
}

const shuffled = <A>(items: ReadonlyArray<A>, random: Random): Array<A> => {
  const result = [...items]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.integer(0, at)
    const held = result[at]!
    result[at] = result[other]!
    result[other] = held
  }
  return result
}

/** Puts the holds of one market at random on its candles, so that none overlap. */
const placeHolds = (
  holds: ReadonlyArray<Hold>,
  candleCount: number,
  random: Random
): ReadonlyArray<Placed> => {
  const total = holds.reduce((sum, { heldCount }) => sum + heldCount, 0)
  const free = Math.max(0, candleCount - 1 - total)
  const offsets = holds.map(() => random.integer(0, free)).sort((left, right) => left - right)
  let used = 0
  return shuffled(holds, random).map((hold, at) => {
    const entry = Math.min(candleCount - 1, offsets[at]! + used)
    used += hold.heldCount
    return { ...hold, entry }
  })
}

/** One market's judged candles on the timeline of the run: the candle at each step, or -1. */
interface Lane {
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  readonly from: number
  readonly atStep: Int32Array
}

/** A market of the judged stretch. */
export interface JudgedMarket {
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  readonly from: number
}

const toLanes = (markets: ReadonlyArray<JudgedMarket>, time: Float64Array): ReadonlyArray<Lane> =>
  markets.map((market) => {
    const atStep = new Int32Array(time.length).fill(-1)
    let candle = market.from
    for (let step = 0; step < time.length; step++) {
      const { length, time: times } = market.columns
      if (candle < length && times[candle] === time[step]) atStep[step] = candle++
    }
    return { ...market, atStep }
  })

interface Open {
  readonly hold: Placed
  readonly quantity: number
  readonly entryPrice: number
  readonly leavesAt: number
}

/**
 * Trades the placed holds: in at an open, out at the open after as many candles, at the market's
 * costs.
 */
const tradeHolds = (
  lanes: ReadonlyArray<Lane>,
  placed: ReadonlyArray<ReadonlyArray<Placed>>,
  time: Float64Array,
  capital: number
): {
  readonly equity: Float64Array
  readonly positions: PositionSums
} => {
  const equity = new Float64Array(time.length)
  const positions = makePositionSums()
  const next = lanes.map(() => 0)
  const open: Array<Open | null> = lanes.map(() => null)
  const floating = lanes.map(() => 0)
  let cash = capital
  const leave = (at: number, raw: number): void => {
    const { entryPrice, hold, quantity } = open[at]!
    const { spec } = lanes[at]!
    const price = slip(hold.direction === 1 ? -1 : 1, raw, spec.slippageRate)
    const fees = quantity * (entryPrice + price) * spec.takerRate
    const pnl = hold.direction * quantity * (price - entryPrice) - fees
    cash += pnl
    const returnRate = pnl / (quantity * entryPrice)
    addPosition(positions, { pnl, returnRate, entryIndex: 0, exitIndex: hold.heldCount })
    open[at] = null
    floating[at] = 0
  }
  for (let step = 0; step < time.length; step++) {
    for (let at = 0; at < lanes.length; at++) {
      const { atStep, columns, from, spec } = lanes[at]!
      const candle = atStep[step]!
      if (candle < 0) continue
      const raw = columns.open[candle]!
      if (open[at] !== null && candle >= open[at]!.leavesAt) leave(at, raw)
      const hold = placed[at]![next[at]!]
      if (open[at] === null && hold !== undefined && candle - from >= hold.entry) {
        next[at]!++
        const entryPrice = slip(hold.direction, raw, spec.slippageRate)
        const worth = cash + floating.reduce((sum, value) => sum + value, 0)
        const quantity = (Math.max(0, worth) * hold.rate) / entryPrice
        const leavesAt = candle + hold.heldCount
        if (quantity > 0) open[at] = { hold, quantity, entryPrice, leavesAt }
      }
      const held = open[at]
      if (held !== null && held !== undefined) {
        const change = columns.close[candle]! - held.entryPrice
        floating[at] = held.hold.direction * held.quantity * change
        if (candle === columns.length - 1) leave(at, columns.close[candle]!)
      }
    }
    equity[step] = cash + floating.reduce((sum, value) => sum + value, 0)
  }
  return { equity, positions }
}

const stepsMax = 20_000_000
const countMin = 200
const countMax = 1_000

/** How many random results a ranking takes: as many as are quick, and never fewer than 200. */
export const randomCountFor = (stepCount: number): number =>
  Math.max(countMin, Math.min(countMax, Math.floor(stepsMax / Math.max(1, stepCount))))

/**
 * Ranks a simulation's objective among random entries with as many trades held as long; null
 * without trades.
 */
export const rankAmongRandom = (
  simulation: Simulation,
  markets: ReadonlyArray<JudgedMarket>,
  options: {
    readonly capital: number
    readonly timeframeMs: number
    readonly objective: Objective
    readonly measurement: Measurement
    readonly random: Random
    readonly shouldStop: () => boolean
  }
): RandomRanking | null => {
  const { capital, measurement, objective, random, shouldStop, timeframeMs } = options
  const { time } = simulation
  const holds = holdsOf(simulation, capital)
  if (holds.length === 0) return null
  const lanes = toLanes(markets, time)
  const own = scoreOf(objective, measureOne(objective, measurement))
  const count = randomCountFor(time.length)
  const values: Array<number> = []
  let worse = 0
  for (let round = 0; round < count && !shouldStop(); round++) {
    const stream = random.fork(round)
    const placed = lanes.map(({ columns, from }, market) =>
      placeHolds(
        holds.filter((hold) => hold.market === market),
        columns.length - from,
        stream.fork(market)
      )
    )
    const { equity, positions } = tradeHolds(lanes, placed, time, capital)
    const value = measureOne(objective, {
      ...toEquityMeasurement(time, equity, capital, timeframeMs),
      positions
    })
    if (value !== null) values.push(value)
    if (scoreOf(objective, value) < own) worse++
  }
  return {
    count,
    beatenRate: worse / count,
    median: values.length === 0 ? null : quantile(values, 0.5),
    p95: values.length === 0 ? null : quantile(values, 0.95)
  }
}
