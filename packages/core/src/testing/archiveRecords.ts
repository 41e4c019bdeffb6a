/**
 * Records of deleted bots for tests.
 *
 * @since 0.1.0
 */
import type { ArchivedBot } from "../domain/ArchivedBot.ts"
import { botRecord } from "./records.ts"

/**
 * A deleted bot that kept no position.
 *
 * @category testing
 * @since 0.1.0
 */
export const archivedBotRecord = (fields: Partial<ArchivedBot> = {}): ArchivedBot => ({
  ...botRecord(),
  archived_at: "2026-01-15T10:00:00.000Z",
  kept_positions: [],
  results: {
    realized_pnl: -12.5,
    fees_paid: 1.25,
    trade_count: 4,
    trading_volume: 4_000,
    positions_closed: 2,
    wins: 1
  },
  ...fields
})
