/**
 * The equity of a portfolio, followed from step to step without storing the curve. It keeps the
 * largest fall, and the value at the end of each day.
 *
 * A block of steps is passed at once where the least and the highest of its closes prove it. None
 * of its values is then a new low or a new peak. Sums of rounded products never change their order,
 * so that this is certain to the bit.
 *
 * @since 0.1.0
 */
import type { MergedTimes } from "./MergedTimes.ts"

/** Steps of a block, as a power of two. */
const blockShift = 4
const blockLength = 1 << blockShift

/** The least and the highest close of each block of steps. */
export class CloseRanges {
  readonly closes: Float64Array
  readonly least: Float64Array
  readonly most: Float64Array
  #known = 0

  constructor(closes: Float64Array) {
    const count = Math.ceil(closes.length / blockLength)
    this.closes = closes
    this.least = new Float64Array(count)
    this.most = new Float64Array(count)
  }

  /** Finds the ranges of all blocks before this step, which ends one, or all closes. */
  findUntil(step: number): void {
    const { closes, least, most } = this
    const end = Math.ceil(step / blockLength)
    for (let block = this.#known; block < end; block++) {
      const first = block << blockShift
      const last = Math.min(first + blockLength, closes.length)
      let low = closes[first]!
      let high = low
      for (let at = first + 1; at < last; at++) {
        const close = closes[at]!
        low = Math.min(low, close)
        high = Math.max(high, close)
      }
      least[block] = low
      most[block] = high
    }
    this.#known = Math.max(this.#known, end)
  }
}

/** A portfolio between two changes: cash, and units of each market, negative for shorts. */
export interface PortfolioBalance {
  cash: number
  readonly held: Float64Array
}

/** Takes the equity of a run, step by step. */
export interface EquityFollower {
  /** Takes the equity of one step, with the notional and the holding where these are asked for. */
  readonly add: (step: number, value: number, notional: number, isHeld: boolean) => void
  /** Follows holdings from a step on, and before `end`. */
  readonly follow: (step: number, end: number, holdings: PortfolioBalance) => void
}

/** The measures of an equity that is followed. */
export class PortfolioEquity implements EquityFollower {
  /** Equity at the end of each UTC day. */
  readonly days: Float64Array
  readonly #dayEnds: Int32Array
  readonly #ranges: ReadonlyArray<CloseRanges>
  readonly #isRanged: boolean
  readonly #markets: Array<number> = []
  #day = 0
  #peak: number
  #low: number
  #deepest = 0
  /** The value that was added last. */
  last: number

  /** Whether blocks may be passed at once depends on `isRanged`: their ranges are found then. */
  constructor(
    capital: number,
    { dayEnds }: MergedTimes,
    ranges: ReadonlyArray<CloseRanges>,
    isRanged: boolean
  ) {
    this.#isRanged = isRanged
    this.days = new Float64Array(dayEnds.length)
    this.#dayEnds = dayEnds
    this.#ranges = ranges
    this.#peak = capital
    this.#low = capital
    this.last = capital
  }

  /** The largest fraction lost since the highest equity before it. */
  get deepest(): number {
    if (!(this.#low < this.#peak)) return this.#deepest
    return Math.max(this.#deepest, (this.#peak - this.#low) / this.#peak)
  }

  /** Takes the equity of one step. */
  add(step: number, value: number): void {
    this.#take(value)
    this.last = value
    if (this.#dayEnds[this.#day] === step) this.days[this.#day++] = value
  }

  /** Follows holdings from a step on, and before `end`. */
  follow(step: number, end: number, { cash, held }: PortfolioBalance): void {
    const markets = this.#markets
    markets.length = 0
    for (let market = 0; market < held.length; market++) {
      if (held[market] !== 0) markets.push(market)
    }
    if (markets.length === 0) this.#take(cash)
    else if (markets.length === 1) this.#followOne(step, end, cash, markets[0]!, held)
    else if (markets.length === 2) this.#followTwo(step, end, cash, held)
    else this.#followAll(step, end, cash, held)
    for (; this.#dayEnds[this.#day]! < end; this.#day++) {
      this.days[this.#day] = this.#valueAt(this.#dayEnds[this.#day]!, cash, held)
    }
  }

  #take(value: number): void {
    if (value < this.#low) this.#low = value
    else if (value >= this.#peak) {
      this.#rise(this.#low, value)
      this.#low = value
    }
  }

  /** A new peak: the fall before it, down to a low, is over. */
  #rise(low: number, value: number): void {
    if (low < this.#peak) this.#deepest = Math.max(this.#deepest, (this.#peak - low) / this.#peak)
    this.#peak = value
  }

  #valueAt(step: number, cash: number, held: Float64Array): number {
    let value = cash
    for (const market of this.#markets) value += held[market]! * this.#ranges[market]!.closes[step]!
    return value
  }

  #followOne(step: number, end: number, cash: number, market: number, held: Float64Array): void {
    const { closes, least, most } = this.#ranges[market]!
    const units = held[market]!
    const [worst, best] = units > 0 ? [least, most] : [most, least]
    for (let at = step; at < end;) {
      const block = at >> blockShift
      const after = this.#isRanged ? Math.min((block + 1) << blockShift, end) : end
      const isPassed =
        this.#isRanged &&
        cash + units * worst[block]! >= this.#low &&
        cash + units * best[block]! < this.#peak
      if (!isPassed) this.#walkOne(at, after, cash, units, closes)
      at = after
    }
  }

  #walkOne(from: number, end: number, cash: number, units: number, closes: Float64Array): void {
    let low = this.#low
    let peak = this.#peak
    for (let at = from; at < end; at++) {
      const value = cash + units * closes[at]!
      if (value < low) low = value
      else if (value >= peak) {
        this.#rise(low, value)
        low = value
        peak = value
      }
    }
    this.#low = low
  }

  #followTwo(step: number, end: number, cash: number, held: Float64Array): void {
    const [first, second] = this.#markets as [number, number]
    const one = this.#ranges[first]!
    const other = this.#ranges[second]!
    const units = held[first]!
    const others = held[second]!
    const [worst, best] = units > 0 ? [one.least, one.most] : [one.most, one.least]
    const isLong = others > 0
    const [otherWorst, otherBest] = isLong ? [other.least, other.most] : [other.most, other.least]
    for (let at = step; at < end;) {
      const block = at >> blockShift
      const after = this.#isRanged ? Math.min((block + 1) << blockShift, end) : end
      const isPassed =
        this.#isRanged &&
        cash + units * worst[block]! + others * otherWorst[block]! >= this.#low &&
        cash + units * best[block]! + others * otherBest[block]! < this.#peak
      if (!isPassed) this.#walkTwo(at, after, cash, units, others)
      at = after
    }
  }

  #walkTwo(from: number, end: number, cash: number, units: number, others: number): void {
    const { closes } = this.#ranges[this.#markets[0]!]!
    const { closes: otherCloses } = this.#ranges[this.#markets[1]!]!
    let low = this.#low
    let peak = this.#peak
    for (let at = from; at < end; at++) {
      const value = cash + units * closes[at]! + others * otherCloses[at]!
      if (value < low) low = value
      else if (value >= peak) {
        this.#rise(low, value)
        low = value
        peak = value
      }
    }
    this.#low = low
  }

  #followAll(step: number, end: number, cash: number, held: Float64Array): void {
    for (let at = step; at < end; at++) this.#take(this.#valueAt(at, cash, held))
  }
}
