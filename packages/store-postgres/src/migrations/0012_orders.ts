/**
 * Orders, once for each client order id of a bot, and the fills that execute them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const orders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table orders (
    bot_id text not null collate "C",
    client_order_id text not null collate "C",
    id text not null unique collate "C",
    account_id text not null collate "C",
    is_open boolean not null,
    version integer not null,
    record json not null,
    primary key (bot_id, client_order_id)
  )`
  yield* sql`create index orders_of_bot on orders (bot_id, id)`
  yield* sql`create index open_orders_of_bot on orders (bot_id, id) where is_open`
  yield* sql`create table trades (
    id text primary key collate "C",
    account_id text not null collate "C",
    bot_id text not null collate "C",
    record json not null
  )`
  yield* sql`create index trades_of_bot on trades (bot_id, id)`
})
