/**
 * The memory that all stores of this package share, and its one transaction at a time.
 *
 * Every read and write outside a transaction waits for the one under way, so that nobody sees what may yet be undone and
 * nothing of another is undone with it.
 *
 * @since 0.1.0
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { AlreadyExists, NotFound, StoreError, VersionConflict } from "@candlewick/core"
import { GroupedTable, UndoLog } from "./GroupedTable.ts"

/** A transaction, until it ends. */
interface Transaction {
  isOpen: boolean
}

/** The transaction that this fibre is in. */
const Current = Context.Reference<Transaction | null>(
  "@candlewick/store-memory/internal/CurrentTransaction",
  { defaultValue: () => null }
)

/** The shared memory. */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    /** Makes a table of this database. */
    readonly table: <A>(groupOf?: (record: A) => string) => GroupedTable<A>
    /** Reads or writes at once, in the transaction under way or in one of its own. */
    readonly run: <A>(access: () => A) => Effect.Effect<A, StoreError>
    /** Keeps the writes of an effect only if it succeeds. */
    readonly transact: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@candlewick/store-memory/internal/MemoryDatabase") {
  /** An empty database. */
  static readonly layer = Layer.sync(MemoryDatabase, () => {
    const log = new UndoLog()
    const turn = Semaphore.makeUnsafe(1)

    const attempt = <A>(access: () => A): Effect.Effect<A, StoreError> =>
      Effect.suspend(() => {
        const mark = log.mark()
        try {
          return Effect.succeed(access())
        } catch (error) {
          log.rollBack(mark)
          return error instanceof StoreError ? Effect.fail(error) : Effect.die(error)
        }
      })

    const nested = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const mark = log.mark()
        return Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit)) log.rollBack(mark)
          })
        )
      })

    const outermost = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      turn.withPermit(
        Effect.suspend(() => {
          const transaction: Transaction = { isOpen: true }
          return Effect.onExit(Effect.provideService(effect, Current, transaction), (exit) =>
            Effect.sync(() => {
              transaction.isOpen = false
              if (Exit.isFailure(exit)) log.rollBack(0)
              log.clear()
            })
          )
        })
      )

    const isInside = Effect.map(Effect.service(Current), (current) => current?.isOpen === true)

    return {
      table: <A>(groupOf?: (record: A) => string) => new GroupedTable<A>(log, groupOf),
      run: (access) =>
        Effect.flatMap(isInside, (inside) =>
          inside
            ? attempt(access)
            : turn.withPermit(
                Effect.ensuring(
                  attempt(access),
                  Effect.sync(() => log.clear())
                )
              )
        ),
      transact: (effect) =>
        Effect.flatMap(isInside, (inside) => (inside ? nested(effect) : outermost(effect)))
    }
  })
}

/** Fails because the id is taken. */
export const alreadyExists = (entity: string, id: string): never => {
  throw new StoreError({ reason: new AlreadyExists({ entity, id }) })
}

/** Fails because there is nothing with this id. */
export const notFound = (entity: string, id: string): never => {
  throw new StoreError({ reason: new NotFound({ entity, id }) })
}

/** Fails because the record is not at this version any more. */
export const versionConflict = (entity: string, id: string, version: number): never => {
  throw new StoreError({ reason: new VersionConflict({ entity, id, version }) })
}
