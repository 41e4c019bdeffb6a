/**
 * One market of a desk, as decisions read it: orders have the names that their host gave them.
 *
 * @since 0.1.0
 */
import type { Desk } from "../match/Desk.ts"
import type { RestingRecord } from "../match/deskViews.ts"
import { mergedPosition, type OrderRequest } from "./account.ts"
import type { BookView, OrderView } from "./accountView.ts"
import type { PositionState } from "./ledger.ts"

const noNames = [null]
const noOrders: ReadonlyArray<OrderView> = []

const typeOf = ({ limit, stop }: RestingRecord): OrderRequest["type"] => {
  if (limit === null) return stop === null ? "market" : "stop"
  return stop === null ? "limit" : "stop_limit"
}

/** A market of a desk; the values that take long to read are read once after each change. */
export class DeskBook implements BookView {
  readonly #desk: Desk
  readonly #market: number
  readonly #nameOf: (id: number) => string
  readonly #changes: { readonly count: number }
  #position: Readonly<PositionState> | null = null
  #positionAt = -1

  constructor(
    desk: Desk,
    market: number,
    nameOf: (id: number) => string,
    changes: { readonly count: number }
  ) {
    this.#desk = desk
    this.#market = market
    this.#nameOf = nameOf
    this.#changes = changes
  }

  get position(): Readonly<PositionState> | null {
    if (!this.#desk.hasLot(this.#market)) return null
    if (this.#positionAt !== this.#changes.count) {
      const lots = this.#desk.lots(this.#market, noNames)
      this.#position = mergedPosition(lots.map(({ position }) => position))
      this.#positionAt = this.#changes.count
    }
    return this.#position
  }

  get orders(): ReadonlyArray<OrderView> {
    if (!this.#desk.hasOrder(this.#market)) return noOrders
    return this.#desk.resting(this.#market).map((order) => ({
      ...order,
      id: this.#nameOf(order.id),
      type: typeOf(order)
    }))
  }

  get lastClose(): number | null {
    return this.#desk.lastClose(this.#market)
  }

  get index(): number {
    return this.#desk.index(this.#market)
  }

  get lastExitIndex(): number | null {
    return this.#desk.lastExit(this.#market)?.index ?? null
  }

  get wasStopped(): boolean {
    return this.#desk.lastExit(this.#market)?.wasStopped ?? false
  }
}
