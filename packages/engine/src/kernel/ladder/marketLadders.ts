/**
 * The ladders of a simulation: each market's memory, and its orders at a close.
 *
 * @since 0.1.0
 */
import type { MarketSpec, MatchOutcome } from "../account.ts"
import type { DroppedEntries, EntryLevels, Signal } from "../decide.ts"
import type { SimulatedAccount } from "../SimulatedAccount.ts"
import type { RiskLimits } from "../riskGate.ts"
import { type WithdrawnOrder, withdrawOrder } from "../withdrawOrder.ts"
import { restLadder, workOutLadder } from "./decideLadder.ts"
import { type LadderMemory, makeLadderMemory, showLadderFill } from "./LadderMemory.ts"
import { hasTimeLimit, type LadderPlan, type SignalSlot } from "./LadderPlan.ts"
import { isInBand } from "./ladderWeight.ts"
import type { WantedOrders } from "./WantedOrders.ts"
import {
  type LadderInput,
  type LadderInstruction,
  ladderPlanOf,
  type MarketLadder
} from "./LadderView.ts"

/** Settings that stay the same from candle to candle. */
interface LadderSetting {
  readonly account: SimulatedAccount
  readonly ladders: ReadonlyArray<MarketLadder | undefined>
  readonly specs: ReadonlyArray<MarketSpec>
  limits: RiskLimits
  readonly dropped: DroppedEntries
  /** The orders that were taken back; more are added. */
  readonly withdrawn: Array<WithdrawnOrder>
}

/** A close that is decided on. */
export interface LadderClose {
  readonly market: number
  /** Index of the candle in its columns. */
  readonly index: number
  readonly signal: Signal
  /** Exits and size of an entry, where code decides. */
  readonly levels: EntryLevels | undefined
  readonly canEnter: boolean
  /** Orders of code beside its signals. */
  readonly wanted?: WantedOrders | undefined
}

/** The events that a market waits for where nothing has followed from its last close. */
interface Quiet {
  isQuiet: boolean
  canEnter: boolean
  wakesAbove: number
  /** Rules that order something by themselves. */
  readonly slots: ReadonlyArray<SignalSlot>
  /** Whether the time of a position may be over. */
  readonly hasLimit: boolean
}

const slotsOf = ({ long, short }: LadderPlan): ReadonlyArray<SignalSlot> =>
  [long, short].flatMap((side) => [
    ...(side?.additions ?? []).flatMap(({ trigger }) =>
      trigger.type === "rule" ? [trigger.enter] : []
    ),
    ...(side?.reductions ?? []).map(({ when }) => when)
  ])

const beginQuiet = (ladder: MarketLadder | undefined): Quiet => ({
  isQuiet: false,
  canEnter: true,
  wakesAbove: Infinity,
  slots: ladder === undefined ? [] : slotsOf(ladder.plan),
  hasLimit: [ladder?.plan.long, ladder?.plan.short].some(
    (side) => side != null && hasTimeLimit(side)
  )
})

/** A stretch of candles in which a matcher fills nothing of a market. */
export interface LadderStretch {
  readonly market: number
  /** Indices in the market's columns: the first candle, and the one after the last. */
  readonly from: number
  readonly end: number
  readonly close: Float64Array
  readonly cash: number
  /** Units of each lot, the oldest first. */
  readonly lots: ReadonlyArray<number>
}

/** The ladders of all markets of a simulation. */
export class MarketLadders {
  readonly #setting: LadderSetting
  readonly #memories: ReadonlyArray<LadderMemory>
  readonly #quiets: ReadonlyArray<Quiet>
  readonly #told: ReadonlyArray<Set<string>>
  #fillCount = 0
  #endedCount = 0

  constructor(setting: LadderSetting) {
    this.#setting = setting
    this.#memories = setting.ladders.map(makeLadderMemory)
    this.#quiets = setting.ladders.map(beginQuiet)
    this.#told = setting.ladders.map(() => new Set())
  }

  /** Shows the fills and the ended orders that were not shown before. */
  show({ ended, fills }: Pick<MatchOutcome, "ended" | "fills">): void {
    for (; this.#fillCount < fills.length; this.#fillCount++) {
      const fill = fills[this.#fillCount]!
      showLadderFill(this.#memories[fill.market]!, fill)
      this.#quiets[fill.market]!.isQuiet = false
    }
    for (; this.#endedCount < ended.length; this.#endedCount++) {
      this.#quiets[ended[this.#endedCount]!.market]!.isQuiet = false
    }
  }

  /** Looks at the next close of a market, which has lost an order. */
  wake(market: number): void {
    this.#quiets[market]!.isQuiet = false
  }

  /** Carries out the instructions that follow from a close. */
  decide(close: LadderClose): void {
    const { canEnter, market } = close
    const quiet = this.#quiets[market]!
    const mayStay = close.wanted === undefined && quiet.isQuiet
    if (mayStay && this.#staysQuiet(quiet, close)) return
    const { instructions, isOpen, wakesAbove } = workOutLadder(this.#input(close))
    quiet.isQuiet = !isOpen
    quiet.canEnter = canEnter
    quiet.wakesAbove = wakesAbove
    this.#apply(market, instructions)
  }

  /** Whether a close brings the same as the last one that was looked at: nothing. */
  #staysQuiet(quiet: Quiet, { canEnter, index, market, signal }: LadderClose): boolean {
    if (canEnter !== quiet.canEnter || signal.exitLong || signal.exitShort) return false
    const { plan, rule } = this.#setting.ladders[market]!
    const isHeld = this.#memories[market]!.side !== 0
    if ((signal.enterLong || signal.enterShort) && (!isHeld || plan.overlap)) return false
    if (isHeld && quiet.hasLimit) return false
    if (quiet.slots.some((slot) => rule(slot, index))) return false
    const { account } = this.#setting
    const { rebalance } = plan
    const close = account.lastClose(market)
    if (rebalance !== null) {
      const isAsked = rebalance.when === null || rule(rebalance.when, index)
      const held = account.book(market).position?.quantity ?? 0
      return !isAsked || isInBand(rebalance, held, close, account.equity)
    }
    return !(close > quiet.wakesAbove)
  }

  /** Whether no close of a stretch without fills and signals brings anything by time or limits. */
  isQuiet(market: number, canEnter: boolean): boolean {
    const { canEnter: could, hasLimit, isQuiet } = this.#quiets[market]!
    return isQuiet && canEnter === could && !(hasLimit && this.#memories[market]!.side !== 0)
  }

  /** Whether a signal to enter brings something. */
  mayEnter(market: number): boolean {
    return this.#memories[market]!.side === 0 || this.#setting.ladders[market]!.plan.overlap
  }

  /** The first candle of a stretch without signals whose close may bring something, or its end. */
  quietUntil({ cash, close, end, from, lots, market }: LadderStretch): number {
    const { plan, rule } = this.#setting.ladders[market]!
    const { slots, wakesAbove } = this.#quiets[market]!
    const { rebalance } = plan
    let held = 0
    for (const lot of lots) held += lot
    const isWoken = (index: number): boolean => {
      if (slots.some((slot) => rule(slot, index))) return true
      const price = close[index]!
      if (rebalance === null) return price > wakesAbove
      if (rebalance.when !== null && !rule(rebalance.when, index)) return false
      // Lot by lot, as a matcher adds up.
      let equity = cash
      for (const lot of lots) equity += lot * price
      return !isInBand(rebalance, held, price, equity)
    }
    // Most ladders wait for fills alone.
    if (slots.length === 0 && rebalance === null && wakesAbove === Infinity) return end
    let at = from
    while (at < end && !isWoken(at)) at++
    return at
  }

  /** Goes by other limits. An order that those before forbade is wanted at each close. */
  limit(limits: RiskLimits): void {
    this.#setting.limits = limits
  }

  /** Places the orders that rest beside fills at the close itself. */
  rest(close: LadderClose): void {
    this.#quiets[close.market]!.isQuiet = false
    this.#apply(close.market, restLadder(this.#input(close)))
  }

  #input({ canEnter, index, levels, market, signal, wanted }: LadderClose): LadderInput {
    const { account, dropped, ladders, limits, specs } = this.#setting
    const { plan, rule, series } = ladders[market]!
    return {
      account,
      market,
      stop: account.stop(market),
      spec: specs[market]!,
      plan,
      limits,
      memories: this.#memories,
      signals: {
        signal,
        rule: (slot: number) => rule(slot, index),
        series: (slot: number) => series(slot, index),
        levels
      },
      canEnter,
      dropped: { counts: dropped, told: this.#told[market]! },
      wanted
    }
  }

  #apply(market: number, instructions: ReadonlyArray<LadderInstruction>): void {
    const { account, withdrawn } = this.#setting
    for (const instruction of instructions) {
      if (instruction.type === "place") account.place(market, instruction.order)
      else if (instruction.type === "cancel") {
        withdrawOrder(account, market, instruction.orderId, withdrawn)
      } else account.protect(market, instruction)
    }
  }
}

/** The markets of a simulation, which belong to one strategy. */
type LadderMarkets = ReadonlyArray<{
  readonly ladder?: MarketLadder | undefined
  readonly spec: MarketSpec
}>

/** The ladders of a simulation, or null where its strategy has none. */
export const makeLadders = ({
  markets,
  ...setting
}: Pick<LadderSetting, "account" | "dropped" | "limits" | "withdrawn"> & {
  readonly markets: LadderMarkets
}): MarketLadders | null => {
  if (ladderPlanOf(markets) === null) return null
  const ladders = markets.map(({ ladder }) => ladder)
  return new MarketLadders({ ...setting, ladders, specs: markets.map(({ spec }) => spec) })
}
