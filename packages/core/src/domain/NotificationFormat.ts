/**
 * The form in which a webhook endpoint gets its events.
 *
 * Events are data for programs, or a message that a chat service shows to people.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** The form of notifications. @category schemas @since 0.1.0 */
export const NotificationFormat = Schema.Literals(["candlewick", "slack", "discord", "telegram"])

/** The form of notifications. @category models @since 0.1.0 */
export type NotificationFormat = typeof NotificationFormat.Type

/** A chat of Telegram: its number, or a public channel. @category schemas @since 0.1.0 */
export const ChatId = Schema.String.check(
  Schema.isPattern(/^(?:-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$/u)
)

/**
 * Whether a chat service gets the messages. The address of such a webhook is its only secret: it is
 * sealed, and never shown.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isChat = (
  format: NotificationFormat
): format is Exclude<NotificationFormat, "candlewick"> => format !== "candlewick"

/**
 * The first messages to an endpoint and their pace, unless its owner sets others. @category models
 */
export interface SendingDefaults {
  readonly max_concurrency: number
  readonly rate_per_second: number | null
}

/**
 * The default pace of an endpoint of a format. Messages of a chat go one after the other, so that
 * they stay in order, and as seldom as all three services need.
 *
 * @category decisions
 * @since 0.1.0
 */
export const sendingDefaults = (format: NotificationFormat): SendingDefaults =>
  isChat(format)
    ? { max_concurrency: 1, rate_per_second: 1 }
    : { max_concurrency: 4, rate_per_second: null }
