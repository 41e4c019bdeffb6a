/**
 * The state that all memory stores of one layer share, and the transactions over it.
 *
 * The state is one value that is replaced as a whole. A transaction works on a copy of its own,
 * which takes the place of the state when it succeeds and is dropped otherwise. An inner one does
 * the same with the copy of the outer one. Transactions, and writes outside of them, follow one
 * another. A read outside does not wait: it sees the last kept state, never the writes of an open
 * transaction.
 *
 * @since 0.1.0
 */
import { StoreError, StoreUnavailable } from "@candlewick/core"
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { emptyTables, type Tables } from "./tables.ts"

/** One copy of the state, and whose turn it is to change it. */
class Workspace {
  tables: Tables
  isOpen = true
  readonly turn = Semaphore.makeUnsafe(1)
  /** The workspace that it was begun in; none for the state itself. */
  readonly outer: Workspace | null
  /**
   * The state that it is, in the end, a copy of; stores of another database are not in this
   * transaction.
   */
  readonly root: Workspace

  constructor(tables: Tables, outer: Workspace | null) {
    this.tables = tables
    this.outer = outer
    this.root = outer === null ? this : outer.root
  }
}

/** A transaction and those around it, which may be of other databases. */
interface Surroundings {
  readonly workspace: Workspace
  readonly around: Surroundings | null
}

const CurrentTransaction = Context.Reference<Surroundings | null>(
  "@candlewick/store-memory/CurrentTransaction",
  { defaultValue: () => null }
)

const endedEarly = new StoreError({
  reason: new StoreUnavailable({ cause: "the transaction around this one has ended" })
})

/**
 * The shared state of the memory stores.
 *
 * @category services
 * @since 0.1.0
 */
export class Database extends Context.Service<
  Database,
  {
    /** Reads from the transaction that it is in, or from the last kept state. */
    readonly read: <A>(evaluate: (tables: Tables) => A) => Effect.Effect<A>

    /**
     * Changes the fields of `tables`; a returned `StoreError` is failed with, and nothing is kept.
     */
    readonly write: <A>(
      evaluate: (tables: Tables) => A
    ) => Effect.Effect<Exclude<A, StoreError>, StoreError>

    /** As `write`, with the present time of the store: when its turn to write has come. */
    readonly writeAt: <A>(
      evaluate: (tables: Tables, nowMs: number) => A
    ) => Effect.Effect<Exclude<A, StoreError>, StoreError>

    /** Runs an effect whose writes are kept only if it succeeds. */
    readonly transact: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StoreError, R>
  }
>()("@candlewick/store-memory/Database") {
  /** A state without anything in it. */
  static readonly layer = Layer.sync(Database, () => {
    const state = new Workspace(emptyTables, null)
    return {
      read: (evaluate) => withWorkspace(state, ({ tables }) => Effect.sync(() => evaluate(tables))),
      write: (evaluate) => write(state, evaluate),
      writeAt: (evaluate) =>
        Effect.clockWith((clock) =>
          write(state, (tables) => evaluate(tables, clock.currentTimeMillisUnsafe()))
        ),
      transact: (effect) => transact(state, effect)
    }
  })
}

/**
 * Finds the innermost transaction over this state that is still open: a fiber may outlive the one
 * it began in.
 */
const openWorkspace = (state: Workspace, surroundings: Surroundings | null): Workspace => {
  for (let at = surroundings; at !== null; at = at.around) {
    if (at.workspace.root === state && at.workspace.isOpen) return at.workspace
  }
  return state
}

const withWorkspace = <A, E, R>(
  state: Workspace,
  use: (workspace: Workspace, surroundings: Surroundings | null) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentTransaction, (surroundings) =>
    use(openWorkspace(state, surroundings), surroundings)
  )

const write = <A>(
  state: Workspace,
  evaluate: (tables: Tables) => A
): Effect.Effect<Exclude<A, StoreError>, StoreError> =>
  withWorkspace(state, (workspace) =>
    workspace.turn.withPermit(
      Effect.suspend(() => {
        // It ended while this waited for its turn.
        if (!workspace.isOpen) return write(state, evaluate)
        const draft = { ...workspace.tables }
        const result = evaluate(draft)
        if (result instanceof StoreError) return Effect.fail(result)
        workspace.tables = draft
        return Effect.succeed(result as Exclude<A, StoreError>)
      })
    )
  )

const transact = <A, E, R>(
  state: Workspace,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> =>
  withWorkspace(state, (outer, around) =>
    outer.turn.withPermit(
      Effect.suspend((): Effect.Effect<A, E | StoreError, R> => {
        if (!outer.isOpen) return transact(state, effect)
        const workspace = new Workspace(outer.tables, outer)
        return effect.pipe(
          Effect.provideService(CurrentTransaction, { workspace, around }),
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              workspace.isOpen = false
              if (Exit.isFailure(exit)) return Effect.void
              if (!outer.isOpen) return Effect.fail(endedEarly)
              outer.tables = workspace.tables
              return Effect.void
            })
          )
        )
      })
    )
  )
