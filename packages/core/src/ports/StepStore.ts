/**
 * Reads and writes the records of many bots' steps in few statements.
 *
 * An adapter that provides `StepStore` must pass `StepStoreSuite` from `@candlewick/core/testing`,
 * which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Schema } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Alert } from "../domain/Alert.ts"
import type { EquityPoint } from "../domain/Backtest.ts"
import type { Bot, BotState } from "../domain/Bot.ts"
import type { LogEntry } from "../domain/LogEntry.ts"
import type { Order, Trade } from "../domain/Order.ts"
import type { Strategy } from "../domain/Strategy.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { EquityRange } from "./BotJournal.ts"

/** The reads of a step about its bot. @category models @since 0.1.0 */
export interface StepRead {
  /** The bot, as `BotStore.hold` gives it. */
  readonly bot: Bot
  /** The version of its state; 0 where there is none. */
  readonly stateVersion: number
  /** Its orders that may still be filled, oldest first. */
  readonly openOrders: ReadonlyArray<Order>
  /** The snapshot of its paper account; absent where it has none. */
  readonly paper?: Schema.Json
}

/** Records that the steps of many bots read. @category models @since 0.1.0 */
export interface StepReads {
  readonly bots: ReadonlyArray<StepRead>
  /** The accounts of these bots, each once. */
  readonly accounts: ReadonlyArray<Account>
  /** The enabled alerts of these bots, oldest first. */
  readonly alerts: ReadonlyArray<Alert>
}

/** Records that a process reads of bots that it takes up. @category models @since 0.1.0 */
export interface OpenReads {
  readonly bots: ReadonlyArray<{
    readonly bot: Bot
    /** The state that its last runner left; absent before its first candle. */
    readonly state?: BotState
  }>
  /** The strategies of these bots, each once. */
  readonly strategies: ReadonlyArray<Strategy>
}

/** An order, new or changed, as it is to be kept. @category models @since 0.1.0 */
export interface OrderWrite {
  readonly order: Order
  /** The version that the store has of it; 0 where it has none. */
  readonly versionBefore: number
}

/**
 * The writes of a step for its bot; an absent part stays as it is. @category models @since 0.1.0
 */
export interface StepWrite {
  readonly botId: string
  /** The state, as `BotStateStore.put` takes it; there is an older one already. */
  readonly state?: BotState
  /** The snapshot of its paper account. */
  readonly paper?: Schema.Json
  /** Equity at the close of its candle; a point at the same time is replaced. */
  readonly equity?: EquityPoint
  /** Where its points are thinned, after that one, as `BotJournal.thinEquity` thins them. */
  readonly thinned?: EquityRange
  /** Orders, each once. */
  readonly orders?: ReadonlyArray<OrderWrite>
  readonly trades?: ReadonlyArray<Trade>
  /** Lines of its log, oldest first, which are numbered as `BotJournal.append` numbers them. */
  readonly lines?: ReadonlyArray<Omit<LogEntry, "seq">>
}

/**
 * The work of `BotStore`, `BotStateStore`, `PaperAccountStore` and other stores for many bots at
 * once.
 *
 * @category ports
 * @since 0.1.0
 */
export class StepStore extends Context.Service<
  StepStore,
  {
    /**
     * The bots with these ids, whichever accounts they belong to, in no order, each held until the
     * transaction around this ends. One that is gone is left out. All records are read once the
     * last bot is held, so none is older than that.
     */
    readonly hold: (botIds: ReadonlyArray<string>) => Effect.Effect<StepReads, StoreError>

    /** The records of bots that a process takes up, in no order; a bot that is gone is left out. */
    readonly open: (botIds: ReadonlyArray<string>) => Effect.Effect<OpenReads, StoreError>

    /**
     * Writes all of it, each bot once. Fails with `VersionConflict` where a state or an order is
     * not at its version any more, and with `AlreadyExists` where a new order or a trade is there
     * already. The transaction around this is to fail then, because other parts may be written.
     */
    readonly write: (steps: ReadonlyArray<StepWrite>) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/StepStore") {}
