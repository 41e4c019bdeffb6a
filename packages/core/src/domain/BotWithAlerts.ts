/**
 * A bot as callers see it: with its alerts.
 *
 * The store keeps bots and alerts apart. A view joins them for a caller.
 *
 * @since 0.1.0
 */
import type { Alert } from "./Alert.ts"
import type { Bot } from "./Bot.ts"

/** A bot with the alerts that were made with it. @category models @since 0.1.0 */
export type BotWithAlerts = Bot & { readonly alerts: ReadonlyArray<Alert> }
