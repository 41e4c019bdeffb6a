/**
 * The equity, the notional and the holding of a portfolio at each step, written down.
 *
 * @since 0.1.0
 */
import type { Curves } from "../../kernel/curves.ts"
import type { MergedTimes } from "./MergedTimes.ts"
import type { EquityFollower, PortfolioBalance } from "./PortfolioEquity.ts"

/** Curves of one run. */
export class PortfolioCurves implements EquityFollower {
  readonly curves: Curves
  readonly #closes: ReadonlyArray<Float64Array>

  constructor({ closes }: MergedTimes, curves: Curves) {
    this.curves = curves
    this.#closes = closes
  }

  /** Takes the positions at a step: notional is 0 where none is held after it. */
  add(step: number, value: number, notional: number, isHeld: boolean): void {
    this.curves.equity[step] = value
    this.curves.notional[step] = notional
    this.curves.held[step] = isHeld ? 1 : 0
  }

  /** Follows holdings from a step on, and before `end`. */
  follow(step: number, end: number, { cash, held }: PortfolioBalance): void {
    const { equity, held: isHeld, notional } = this.curves
    let heldCount = 0
    equity.fill(cash, step, end)
    for (let market = 0; market < held.length; market++) {
      const quantity = held[market]!
      if (quantity === 0) continue
      const closes = this.#closes[market]!
      const size = Math.abs(quantity)
      heldCount++
      for (let at = step; at < end; at++) {
        const price = closes[at]!
        equity[at]! += quantity * price
        notional[at]! += size * price
      }
    }
    if (heldCount > 0) isHeld.fill(1, step, end)
  }
}
