/**
 * Positions that grow and shrink in one market, by plain objects. The rules are written once more:
 * of merged and separate lots, additions, groups, limits for one open and exits of a named lot.
 *
 * It knows no fees, no slippage, no lack of cash, and no doubt about the path inside a candle.
 */
import type { AttachedExits, ExitLevel } from "../../src/match/AttachedExits.ts"
import type { MatcherCandle } from "../../src/match/MatcherCandle.ts"
import type { LotLevels, MatcherExit } from "../../src/match/MatcherOrder.ts"

export interface PlainOrder extends MatcherExit {
  readonly id: number
  readonly leg: "entry" | "exit"
  readonly exits: AttachedExits | null
  readonly placedAt: number
}

export interface PlainLot {
  readonly id: number
  readonly side: 1 | -1
  quantity: number
  entryPrice: number
  stop: number | null
  reason: "stop_loss" | "trailing_stop" | "break_even"
  target: number | null
  trail: { readonly rate: number; readonly activation: number | null; best: number } | null
  breakEven: { readonly activation: number; readonly stop: number } | null
  liveFrom: number
}

interface PlainPlace {
  readonly rank: 0 | 1 | 2
  readonly away: number
}

const comparePlaces = (one: PlainPlace, other: PlainPlace): number =>
  one.rank - other.rank || one.away - other.away

type Told = ReadonlyArray<string | number>

const positionClosed = "the position that it adds to is closed"
const nothingHeld = "there is no position to reduce"

export class PlainPositions {
  readonly #isMerging: boolean
  cash: number
  orders: ReadonlyArray<PlainOrder> = []
  lots: ReadonlyArray<PlainLot> = []
  told: Array<Told> = []
  index = -1
  #candle: MatcherCandle = { market: 0, time: 0, open: 0, high: 0, low: 0, close: 0 }

  constructor(cash: number, isMerging: boolean) {
    this.cash = cash
    this.#isMerging = isMerging
  }

  place(order: PlainOrder): void {
    const { id, leg, lotId } = order
    const isOpen = lotId === undefined || this.lots.some((lot) => lot.id === lotId)
    if (leg === "exit" && !isOpen) this.told.push(["rejected", id, nothingHeld])
    else this.orders = [...this.orders, order]
  }

  withdraw(id: number): void {
    this.orders = this.orders.filter((order) => order.id !== id)
  }

  protect(lotId: number, { stop, target }: LotLevels): void {
    const lot = this.lots.find(({ id }) => id === lotId)
    if (lot === undefined) return
    if (stop !== undefined) {
      if (lot.stop === null) lot.reason = "stop_loss"
      lot.stop = stop
    }
    if (target !== undefined) lot.target = target
  }

  show(candle: MatcherCandle): void {
    this.index++
    this.#candle = candle
    for (const leg of ["exit", "entry"] as const) this.#fillAtOpen(leg)
    const passed = this.#exitsReached().filter((order) => this.#restingPrice(order) === candle.open)
    if (passed.length > 0) for (const lot of this.lots) this.#checkLot(lot, true)
    for (const order of passed) if (this.#isResting(order)) this.#fill(order, candle.open, 0)
    this.#leaveBySide()
    for (const lot of this.lots) this.#checkLot(lot, false)
    this.#enterInside()
    for (const lot of this.lots) if (this.index >= lot.liveFrom) this.#raise(lot)
    for (const { expiresAfter, id, placedAt } of this.orders) {
      if (expiresAfter === null || this.index < placedAt + expiresAfter) continue
      this.#end(id, "expired", "it was not filled in time")
    }
  }

  #end(id: number, outcome: string, reason: string): void {
    if (!this.orders.some((order) => order.id === id)) return
    this.withdraw(id)
    this.told.push([outcome, id, reason])
  }

  #isResting(order: PlainOrder): boolean {
    return this.orders.includes(order)
  }

  #fillAtOpen(leg: "entry" | "exit"): void {
    const { open } = this.#candle
    for (const order of this.orders.filter((one) => one.leg === leg)) {
      const { id, isImmediate = false, limit, side, stop } = order
      if (!this.#isResting(order)) continue
      if (limit === null && stop === null) this.#fill(order, open, this.index)
      else if (!isImmediate) continue
      else if ((limit! - open) * side >= 0) this.#fill(order, open, this.index)
      else this.#end(id, "expired", "it was not filled in time")
    }
  }

  /** Exits that the candle reaches, in the order of the queue. */
  #exitsReached(): ReadonlyArray<PlainOrder> {
    return this.orders.filter(({ leg }) => leg === "exit").filter((one) => this.#reaches(one))
  }

  #reaches(order: PlainOrder): boolean {
    return this.#restingPrice(order) !== null
  }

  /**
   * Exits by side: the losing one first, the nearest to the open first. Of a lot and an order at
   * one price the lot comes first, and of two orders the first named.
   */
  #leaveBySide(): void {
    for (;;) {
      const reached = this.#exitsReached().map((order) => {
        const price = this.#restingPrice(order)!
        return { order, price, place: this.#placeOf(price, order.side === 1 ? -1 : 1) }
      })
      const [first] = reached.sort(
        (one, other) => comparePlaces(one.place, other.place) || one.order.id - other.order.id
      )
      if (first === undefined) return
      const before = this.lots.filter((lot) => {
        const exit = this.#exitOf(lot)
        if (exit === null) return false
        return comparePlaces(this.#placeOf(exit.price, lot.side), first.place) <= 0
      })
      for (const lot of before) this.#checkLot(lot, false)
      if (before.length > 0) continue
      const { order, place, price } = first
      if (place.rank === 2) this.#addBefore(order.side === 1 ? -1 : 1, price, true)
      // An addition of its group may have ended it.
      if (this.#isResting(order)) this.#fill(order, price, this.index + 1)
    }
  }

  /** The place of an exit in its candle: at the open, on the losing side, on the winning side. */
  #placeOf(price: number, side: 1 | -1): PlainPlace {
    const away = (price - this.#candle.open) * side
    return { rank: away === 0 ? 0 : away < 0 ? 1 : 2, away: Math.abs(away) }
  }

  #enterInside(): void {
    for (const order of this.orders.filter((one) => one.leg === "entry")) {
      while (this.#isResting(order) && this.#restingPrice(order) !== null) {
        const first = this.#firstOfGroup(order)
        this.#fill(first, this.#restingPrice(first)!, this.index + 1)
      }
    }
  }

  /** Of a group: what the open has passed, else the nearest on the side of the first named. */
  #firstOfGroup(order: PlainOrder): PlainOrder {
    if (order.groupId === undefined) return order
    const away = (one: PlainOrder): number => this.#restingPrice(one)! - this.#candle.open
    const reached = this.orders.filter(
      (one) =>
        one.groupId === order.groupId && one.leg === "entry" && this.#restingPrice(one) !== null
    )
    const atOpen = reached.find((one) => away(one) === 0)
    if (atOpen !== undefined) return atOpen
    const sameSide = reached.filter((one) => away(one) > 0 === away(order) > 0)
    const nearest = Math.min(...sameSide.map((one) => Math.abs(away(one))))
    return sameSide.find((one) => Math.abs(away(one)) === nearest)!
  }

  #restingPrice({ isImmediate = false, limit, side, stop }: PlainOrder): number | null {
    if (isImmediate) return null
    if (limit !== null) return this.#limitPrice(limit, side)
    return stop === null ? null : this.#stopPrice(stop, side)
  }

  #limitPrice(limit: number, side: 1 | -1): number | null {
    const { high, low, open } = this.#candle
    if ((limit - open) * side >= 0) return open
    return low <= limit && limit <= high ? limit : null
  }

  #stopPrice(stop: number, side: 1 | -1): number | null {
    const { high, low, open } = this.#candle
    if ((open - stop) * side >= 0) return open
    return low <= stop && stop <= high ? stop : null
  }

  #fill(order: PlainOrder, price: number, liveFrom: number): void {
    if (order.leg === "exit") this.#reduce(order, price)
    else this.#enter(order, price, liveFrom)
  }

  #endGroup({ groupId, id }: PlainOrder): void {
    if (groupId === undefined) return
    for (const other of this.orders) {
      if (other.groupId !== groupId || other.id === id) continue
      this.#end(other.id, "cancelled", "another of its group was filled")
    }
  }

  #enter(order: PlainOrder, price: number, liveFrom: number): void {
    const { endsWithPosition = false, exits, id, quantity, side } = order
    const own = this.lots.find((lot) => lot.side === side)
    if (endsWithPosition && own === undefined) return this.#end(id, "cancelled", positionClosed)
    if (this.#isMerging && this.lots.length > 0 && own === undefined) {
      return this.#end(id, "rejected", "a position is open")
    }
    this.withdraw(id)
    this.#endGroup(order)
    this.cash -= side * quantity * price
    this.told.push(["opened", id, quantity, price])
    if (this.#isMerging && own !== undefined) {
      const whole = own.quantity + quantity
      own.entryPrice = (own.quantity * own.entryPrice + quantity * price) / whole
      own.quantity = whole
      own.liveFrom = Math.max(own.liveFrom, liveFrom)
      if (exits !== null) this.#protectAgain(own, exits)
      return
    }
    const lot: PlainLot = {
      id,
      side,
      quantity,
      entryPrice: price,
      stop: null,
      reason: "stop_loss",
      target: null,
      trail: null,
      breakEven: null,
      liveFrom
    }
    if (exits !== null) this.#derive(lot, exits)
    this.lots = [...this.lots, lot]
  }

  /** A stop that has trailed or come to the entry never falls back. */
  #protectAgain(lot: PlainLot, exits: AttachedExits): void {
    const { reason, side, stop } = lot
    const isRaised = stop !== null && reason !== "stop_loss"
    if (isRaised) lot.reason = "stop_loss"
    this.#derive(lot, exits)
    if (!isRaised || (lot.stop! - stop) * side > 0) return
    lot.stop = stop
    lot.reason = reason
  }

  #derive(lot: PlainLot, { breakEven, stopLoss, takeProfit, trailingStop }: AttachedExits): void {
    const { entryPrice, side } = lot
    const beside = ({ kind, value }: ExitLevel, away: number): number =>
      kind === "price" ? value : entryPrice * (1 + away * value)
    if (takeProfit !== null) lot.target = beside(takeProfit, side)
    if (stopLoss !== null) {
      if (lot.stop === null) lot.reason = "stop_loss"
      lot.stop = beside(stopLoss, -side)
    }
    if (trailingStop !== null) {
      const { activation, distance } = trailingStop
      lot.trail = {
        rate: distance.value,
        activation: activation && beside(activation, side),
        best: lot.trail?.best ?? entryPrice
      }
    }
    if (breakEven !== null) {
      const stop = entryPrice * (1 + side * breakEven.offsetRate)
      lot.breakEven = { activation: beside(breakEven.activation, side), stop }
    }
    const { trail } = lot
    const isAsked = trailingStop !== null || breakEven !== null
    if (isAsked && trail !== null && trail.activation === null) this.#followBest(lot)
  }

  #tighten(lot: PlainLot, stop: number, reason: PlainLot["reason"]): void {
    if (lot.stop !== null && (stop - lot.stop) * lot.side <= 0) return
    lot.stop = stop
    lot.reason = reason
  }

  #followBest(lot: PlainLot): void {
    const { best, rate } = lot.trail!
    this.#tighten(lot, best - lot.side * (best * rate), "trailing_stop")
  }

  #raise(lot: PlainLot): void {
    const { breakEven, side, trail } = lot
    const reached = side === 1 ? this.#candle.high : this.#candle.low
    if (breakEven !== null && (reached - breakEven.activation) * side >= 0) {
      this.#tighten(lot, breakEven.stop, "break_even")
    }
    if (trail === null) return
    if ((reached - trail.best) * side > 0) trail.best = reached
    const { activation, best } = trail
    if (activation === null || (best - activation) * side >= 0) this.#followBest(lot)
  }

  /** The exit that the candle makes of a lot. */
  #exitOf(lot: PlainLot) {
    if (this.index < lot.liveFrom || !this.lots.includes(lot)) return null
    const side = lot.side === 1 ? -1 : 1
    const { open } = this.#candle
    const stop = lot.stop === null ? null : this.#stopPrice(lot.stop, side)
    const target = lot.target === null ? null : this.#limitPrice(lot.target, side)
    const isPastTarget = lot.target !== null && (lot.target - open) * side >= 0
    const isPastStop = lot.stop !== null && (open - lot.stop) * side >= 0
    // The open has passed the target, and nothing else comes first.
    const isTarget = isPastTarget || stop === null
    const price = isTarget ? target : stop
    return price === null ? null : { isTarget, price, isInside: !isPastTarget && !isPastStop }
  }

  #checkLot(lot: PlainLot, isOpenAlone: boolean): void {
    const exit = this.#exitOf(lot)
    if (exit === null || (isOpenAlone && exit.isInside)) return
    const { isInside, isTarget, price } = exit
    const reason = isTarget ? "take_profit" : lot.reason
    if (isInside) this.#addBefore(lot.side, price, isTarget)
    this.#close(lot, lot.quantity, price, reason)
  }

  /** Fills the additions that come before an exit inside the candle, at a price that stays. */
  #addBefore(side: 1 | -1, exit: number, isTarget: boolean): void {
    for (const order of this.orders) {
      const { endsWithPosition = false, leg, limit, stop } = order
      if (leg !== "entry" || !endsWithPosition || order.side !== side) continue
      const price = this.#isResting(order) ? this.#restingPrice(order) : null
      if (price === null) continue
      const isPassed = price === this.#candle.open
      const isLimitBefore = limit !== null && !isTarget && (price - exit) * side > 0
      const isStopBefore = stop !== null && (exit - price) * side > 0
      if (isPassed || isLimitBefore || isStopBefore) this.#enter(order, price, this.index + 1)
    }
  }

  #close(lot: PlainLot, quantity: number, price: number, reason: string): void {
    const { id, side } = lot
    this.cash += side * quantity * price
    this.told.push([reason, id, quantity, price])
    lot.quantity -= quantity
    if (lot.quantity > 0) return
    this.lots = this.lots.filter((one) => one !== lot)
    for (const order of this.orders) {
      if (order.leg === "exit" && order.lotId === id) this.#end(order.id, "cancelled", nothingHeld)
    }
    if (this.lots.some((one) => one.side === side)) return
    for (const order of this.orders) {
      const isOwn = order.side === (order.leg === "entry" ? side : -side)
      if (order.endsWithPosition !== true || !isOwn) continue
      this.#end(order.id, "cancelled", order.leg === "entry" ? positionClosed : nothingHeld)
    }
  }

  #reduce(order: PlainOrder, price: number): void {
    const { id, lotId, side } = order
    const meant = this.lots.filter(
      (lot) => lot.side !== side && (lotId === undefined || lot.id === lotId)
    )
    const held = meant.reduce((sum, { quantity }) => sum + quantity, 0)
    if (held === 0) return this.#end(id, "rejected", nothingHeld)
    const quantity = Math.min(order.quantity, held)
    if (quantity < order.quantity) this.#end(id, "cancelled", "there is no more to reduce")
    this.withdraw(id)
    this.#endGroup(order)
    let rest = quantity
    for (const lot of meant) {
      const part = Math.min(rest, lot.quantity)
      if (part > 0) this.#close(lot, part, price, "signal")
      rest -= part
    }
  }
}
