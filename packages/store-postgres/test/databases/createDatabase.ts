/**
 * Another database of a server.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"

/** Makes an empty database in a server, and says where it is. */
export const createDatabase = async (serverUrl: string): Promise<string> => {
  const name = `candlewick_${crypto.randomUUID().slice(0, 8)}`
  const make = Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`create database ${name}`))
  await Effect.runPromise(Effect.provide(make, PgClient.layer({ url: Redacted.make(serverUrl) })))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
