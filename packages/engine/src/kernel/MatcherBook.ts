/**
 * One market of a matcher, as decisions read it: orders have the names that their host gave them.
 *
 * @since 0.1.0
 */
import type { Matcher } from "../match/Matcher.ts"
import type { RestingRecord } from "../match/matcherViews.ts"
import { mergedPosition, type OrderRequest } from "./account.ts"
import type { BookView, OrderView } from "./accountView.ts"
import type { PositionState } from "./ledger.ts"

const noNames = [null]
const noOrders: ReadonlyArray<OrderView> = []

const typeOf = ({ limit, stop }: RestingRecord): OrderRequest["type"] => {
  if (limit === null) return stop === null ? "market" : "stop"
  return stop === null ? "limit" : "stop_limit"
}

/** A market of a matcher; the values that take long to read are read once after each change. */
export class MatcherBook implements BookView {
  readonly #matcher: Matcher
  readonly #market: number
  readonly #nameOf: (id: number) => string
  readonly #changes: { readonly count: number }
  #position: Readonly<PositionState> | null = null
  #positionAt = -1

  constructor(
    matcher: Matcher,
    market: number,
    nameOf: (id: number) => string,
    changes: { readonly count: number }
  ) {
    this.#matcher = matcher
    this.#market = market
    this.#nameOf = nameOf
    this.#changes = changes
  }

  get position(): Readonly<PositionState> | null {
    if (!this.#matcher.hasLot(this.#market)) return null
    if (this.#positionAt !== this.#changes.count) {
      const lots = this.#matcher.lots(this.#market, noNames)
      this.#position = mergedPosition(lots.map(({ position }) => position))
      this.#positionAt = this.#changes.count
    }
    return this.#position
  }

  get orders(): ReadonlyArray<OrderView> {
    if (!this.#matcher.hasOrder(this.#market)) return noOrders
    return this.#matcher.resting(this.#market).map((order) => ({
      ...order,
      id: this.#nameOf(order.id),
      type: typeOf(order),
      ...(order.lotId !== null && { lot: this.#nameOf(order.lotId) })
    }))
  }

  get lastClose(): number | null {
    return this.#matcher.lastClose(this.#market)
  }

  get index(): number {
    return this.#matcher.index(this.#market)
  }

  get lastExitIndex(): number | null {
    return this.#matcher.lastExit(this.#market)?.index ?? null
  }

  get wasStopped(): boolean {
    return this.#matcher.lastExit(this.#market)?.wasStopped ?? false
  }
}
