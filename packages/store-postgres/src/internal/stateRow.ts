/**
 * The state of a bot as a row.
 *
 * @since 0.1.0
 */
import { BotState } from "@candlewick/core"
import { decoderOf } from "./decoderOf.ts"

/** A state as it is kept. @category models @since 0.1.0 */
export interface StateRow {
  readonly bot_id: string
  readonly cursor: string | number | bigint | null
  readonly version: number
  readonly snapshot: unknown
}

const decode = decoderOf(BotState)

/** The state that a row has. @category conversions @since 0.1.0 */
export const toState = (row: StateRow): BotState =>
  decode({ ...row, cursor: row.cursor === null ? null : Number(row.cursor) })
