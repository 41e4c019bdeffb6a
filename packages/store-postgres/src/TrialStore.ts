/**
 * Trials of searches in SQL, a column of numbers in each row.
 *
 * @since 0.1.0
 */
import { StoreError, type TrialColumns, TrialStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { longPatienceMs, toStoreError } from "./internal/toStoreError.ts"

interface ColumnRow {
  readonly name: string
  readonly numbers: Uint8Array
}

/** Doubles as bytes, the lowest first, on every host. */
const toBytes = (values: Float64Array): Uint8Array => {
  const bytes = new Uint8Array(values.length * 8)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < values.length; index++) {
    view.setFloat64(index * 8, values[index]!, true)
  }
  return bytes
}

const toNumbers = (bytes: Uint8Array): Float64Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float64Array.from({ length: bytes.byteLength / 8 }, (_, index) =>
    view.getFloat64(index * 8, true)
  )
}

/** How many columns are written by one statement: 2 MB of ten thousand trials. */
const columnsPerStatement = 24

/** A `TrialStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  TrialStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    TrialStore.of({
      put: Effect.fnUntraced(function* (optimizationId, columns) {
        const write = Effect.gen(function* () {
          const [found] = yield* sql`select id from optimizations where id = ${optimizationId}
            for key share`
          if (found === undefined) return false
          yield* sql`delete from trial_columns where optimization_id = ${optimizationId}`
          const rows = columns.map(({ name, values }, position) => ({
            optimization_id: optimizationId,
            position,
            name,
            numbers: toBytes(values)
          }))
          for (let from = 0; from < rows.length; from += columnsPerStatement) {
            const [first, ...rest] = rows.slice(from, from + columnsPerStatement)
            yield* sql`insert into trial_columns ${sql.insert([first!, ...rest])}`
          }
          return true
        })
        const isThere = yield* toStoreError(sql.withTransaction(write), longPatienceMs)
        if (!isThere) return yield* StoreError.notFound("optimization", optimizationId)
      }),
      get: (optimizationId, names) =>
        toStoreError(
          Effect.map(
            sql<ColumnRow>`select name, numbers from trial_columns
              where optimization_id = ${optimizationId} order by position`,
            (rows) => {
              const asked = rows.filter(({ name }) => names?.includes(name) ?? true)
              const columns: TrialColumns = asked.map(({ name, numbers }) => ({
                name,
                values: toNumbers(numbers)
              }))
              return rows.length === 0 ? Option.none() : Option.some(columns)
            }
          ),
          longPatienceMs
        )
    })
  )
)
