/**
 * Transactions on a store that has one session: each class of work has its turn.
 *
 * Bots that replay always have a transaction waiting. Without turns a delivery, which takes several
 * one after the other, would wait for all of them each time.
 *
 * @since 0.1.0
 */
import { WorkClass } from "@candlewick/core"
import { Effect, Option, PartitionedSemaphore } from "effect"
import type { SqlClient } from "effect/sql"

/** The methods of a client for transactions. */
type Transactions = Pick<SqlClient.SqlClient, "transactionService" | "withTransaction">

/**
 * The same transactions, of which one is under way at a time. Classes with something waiting take
 * turns, and those of one class follow one another as they came. One inside another does not wait.
 */
export const transactInTurn = ({
  transactionService,
  withTransaction
}: Transactions): SqlClient.SqlClient["withTransaction"] => {
  const session = PartitionedSemaphore.makeUnsafe<WorkClass>({ permits: 1 })
  return (work) =>
    Effect.flatMap(Effect.serviceOption(transactionService), (around) =>
      Option.isSome(around)
        ? withTransaction(work)
        : Effect.flatMap(WorkClass, (one) => session.withPermit(one)(withTransaction(work)))
    )
}
