/**
 * A signal: an alert of a charting service that commands a bot.
 *
 * The request names a bot and one of four actions. The outcome has the state of the bot after the
 * command, as `BotMachine` moves it. A signal decides no price and no quantity: its `price`,
 * `symbol`, `time` and `comment` stand in the bot's log alone.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { boundedText } from "./boundedText.ts"
import { BotId } from "./Identifier.ts"
import { BotMachine } from "./BotMachine.ts"

/** The actions of a signal. @category schemas @since 0.1.0 */
export const SignalAction = Schema.Literals(["start", "pause", "stop", "close"])

/** The actions of a signal. @category models @since 0.1.0 */
export type SignalAction = typeof SignalAction.Type

/** A signal as it comes; `bot_id` and `action` are enough. @category schemas @since 0.1.0 */
export const SignalRequest = Schema.Struct({
  bot_id: BotId,
  /** `close` closes the positions and leaves the bot as it is. */
  action: SignalAction,
  /** Names the alert: one that comes again with the same id does nothing more. */
  id: Schema.optionalKey(boundedText(1, 128)),
  /** The alert's own text; it stands in the bot's log and decides nothing. */
  symbol: Schema.optionalKey(boundedText(1, 64)),
  price: Schema.optionalKey(Schema.Finite),
  time: Schema.optionalKey(boundedText(1, 64)),
  comment: Schema.optionalKey(boundedText(0, 500))
})

/** A signal as it comes. @category models @since 0.1.0 */
export type SignalRequest = typeof SignalRequest.Type

/** The outcome of a signal. @category schemas @since 0.1.0 */
export const SignalOutcome = Schema.Struct({
  bot_id: BotId,
  action: SignalAction,
  /** False where it was so already, or was under way. */
  changed: Schema.Boolean,
  /** The state of the bot after it. */
  status: Schema.Literals(BotMachine.states)
})

/** The outcome of a signal. @category models @since 0.1.0 */
export type SignalOutcome = typeof SignalOutcome.Type
