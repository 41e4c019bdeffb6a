/**
 * PostgreSQL stores for Candlewick.
 *
 * @since 0.1.0
 */
export * as BotPlacement from "./BotPlacement.ts"
export { migrate, migrations, SchemaTooNew } from "./Migrations.ts"
export * as Pglite from "./Pglite.ts"
export * as Postgres from "./Postgres.ts"
export { PostgresStore } from "./PostgresStore.ts"
