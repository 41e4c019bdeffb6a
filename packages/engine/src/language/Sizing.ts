/**
 * The sizes of entries and additions.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Setting } from "./Parameter.ts"

const expected = 'a size such as {"type":"equity_fraction","fraction":0.5}'

const sizes = [
  Schema.Struct({ type: Schema.Literal("risk_per_trade"), fraction: Setting }),
  Schema.Struct({ type: Schema.Literal("equity_fraction"), fraction: Setting }),
  Schema.Struct({ type: Schema.Literal("fixed_notional"), notional: Setting }),
  Schema.Struct({ type: Schema.Literal("fixed_quantity"), quantity: Setting }),
  Schema.Struct({
    type: Schema.Literal("volatility_target"),
    /** Wanted volatility of the position a year, as a fraction of equity. */
    target: Setting,
    period: Setting
  })
] as const

/** The size of an entry. @category schemas @since 0.1.0 */
export const Sizing = Schema.Union(sizes).annotate({ identifier: "Sizing", expected })

/** The size of an entry. @category models @since 0.1.0 */
export type Sizing = typeof Sizing.Type

/**
 * The size of an addition: as an entry, or a multiple of the notional of an entry of the same
 * position.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AdditionSizing = Schema.Union([
  ...sizes,
  Schema.Struct({
    type: Schema.Literal("scaled"),
    /** The first entry of the position, or the last one, additions among them. */
    of: Schema.Literals(["first", "last"]),
    factor: Setting
  })
]).annotate({ identifier: "AdditionSizing", expected })

/** The size of an addition. @category models @since 0.1.0 */
export type AdditionSizing = typeof AdditionSizing.Type
