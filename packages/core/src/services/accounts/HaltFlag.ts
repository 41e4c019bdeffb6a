/**
 * The halted accounts in this process's memory, until the store has them.
 *
 * A sender asks the flag before each entry, and the answer waits for no store. The flag never
 * resumes an account: the store decides that.
 *
 * @since 0.1.0
 */
import { Context, Effect, FiberMap, Layer } from "effect"

/**
 * Accounts that are halted in this process, also where the store does not answer. A sender asks it
 * before each entry: the answer waits for nothing.
 *
 * @category services
 * @since 0.1.0
 */
export class HaltFlag extends Context.Service<
  HaltFlag,
  {
    /** Whether the account is halted here. */
    readonly isHaltedHere: (accountId: string) => Effect.Effect<boolean>

    /** Halts the account here. */
    readonly raise: (accountId: string) => Effect.Effect<void>

    /** Leaves it to the store whether the account is halted. */
    readonly lower: (accountId: string) => Effect.Effect<void>

    /** Goes on with the work in the background, in place of earlier work for the account. */
    readonly workOn: (accountId: string, work: Effect.Effect<void>) => Effect.Effect<void>

    /** Ends the work in the background. */
    readonly leaveOff: (accountId: string) => Effect.Effect<void>
  }
>()("@candlewick/core/services/HaltFlag") {
  /** A flag that is raised for no account; its work ends with the layer. */
  static readonly layer: Layer.Layer<HaltFlag> = Layer.effect(
    HaltFlag,
    Effect.gen(function* () {
      const raised = new Set<string>()
      const working = yield* FiberMap.make<string>()
      return {
        isHaltedHere: (accountId) => Effect.sync(() => raised.has(accountId)),
        raise: (accountId) => Effect.sync(() => void raised.add(accountId)),
        lower: (accountId) => Effect.sync(() => void raised.delete(accountId)),
        workOn: (accountId, work) => Effect.asVoid(FiberMap.run(working, accountId, work)),
        leaveOff: (accountId) => FiberMap.remove(working, accountId)
      }
    })
  )
}
