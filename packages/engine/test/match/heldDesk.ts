/**
 * A desk that goes by stages and holds a position, the orders that tests give it, and what it tells.
 */
import type { DeskMarket } from "../../src/match/deskBlock.ts"
import type { AttachedExits, ExitLevel } from "../../src/match/AttachedExits.ts"
import { StagedDesk, type StagedOrder } from "../../src/match/StagedDesk.ts"
import type { StageRow } from "../../src/match/stageViews.ts"

export const market: DeskMarket = {
  lot: 0,
  takerRate: 0,
  makerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  entrySpread: 0,
  leverage: 1,
  canShort: true
}

export const noTags = [null]

export const order: StagedOrder = {
  side: 1,
  quantity: 1,
  limit: null,
  stop: null,
  expiresAfter: null
}
export const addition: StagedOrder = { ...order, endsWithPosition: true }

export const candle = (nth: number, open: number, low = open, high = open, close = open) => ({
  market: 0,
  time: nth * 60_000,
  open,
  high,
  low,
  close
})

export const part = (value: number): ExitLevel => ({ kind: "fraction", value })

export const noExits: AttachedExits = {
  stopLoss: null,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
}

export const told = (rows: ReadonlyArray<StageRow>) =>
  rows.map((row) => {
    if (row.kind === "opened") return ["opened", row.orderId, row.quantity, row.price]
    if (row.kind === "closed") return [row.exitReason, row.lotId, row.quantity, row.exitPrice]
    return row.kind === "ended" ? [row.outcome, row.order.id, row.reason] : [row.kind]
  })

/** A desk that has shown a candle at 100 and one at whose open an entry was filled. */
export const held = (
  exits: AttachedExits | null,
  netting: Parameters<typeof StagedDesk.open>[2] = "average",
  spec: DeskMarket = market
): StagedDesk => {
  const desk = StagedDesk.open(1_000, [spec], netting)
  desk.show([candle(0, 100)])
  desk.placeEntry(0, order, exits)
  desk.show([candle(1, 100)])
  desk.drain(noTags)
  return desk
}
