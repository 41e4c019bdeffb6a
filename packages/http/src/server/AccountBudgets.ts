/**
 * The share of the process that one account may use at the same time, with all its keys.
 *
 * Quotas of keys bound how often something is asked. These bound how much of it is under way: each
 * import and each export holds its candles in memory until its last byte has left.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
import { Context, Effect, Layer, Option, Scope } from "effect"

/** The work that an account may have under way. @category models @since 0.1.0 */
export type Budget = "requests" | "imports" | "exports"

/** How many of each an account may have under way. @category models @since 0.1.0 */
export type BudgetSizes = Readonly<Record<Budget, number>>

const defaultSizes: BudgetSizes = {
  requests: Limits.requestsAtOncePerAccountMax,
  imports: Limits.importsAtOncePerAccountMax,
  exports: Limits.exportsAtOncePerAccountMax
}

/** A request of seconds is worth another try after one; a file takes longer. */
const retryAfterSeconds: BudgetSizes = { requests: 1, imports: 5, exports: 5 }

const usedUp = (budget: Budget, size: number): Problem =>
  new Problem({
    code: "rate_limited",
    detail: `The account has ${size} ${budget} under way already, which is all that it may have at once.`,
    retry_after_seconds: retryAfterSeconds[budget]
  })

/** The work that accounts have under way. @category services @since 0.1.0 */
export class AccountBudgets extends Context.Service<
  AccountBudgets,
  {
    /** Takes a place until the request under way is answered to its last byte. */
    readonly take: (budget: Budget, accountId: string) => Effect.Effect<void, Problem>
  }
>()("@candlewick/http/server/AccountBudgets") {
  /** Budgets of these sizes; without any, the product's. */
  static readonly layer = (sizes: Partial<BudgetSizes> = {}): Layer.Layer<AccountBudgets> =>
    Layer.sync(AccountBudgets, () => {
      const all = { ...defaultSizes, ...sizes }
      const taken = new Map<string, number>()
      const change = (name: string, by: number): void => {
        const count = (taken.get(name) ?? 0) + by
        if (count === 0) taken.delete(name)
        else taken.set(name, count)
      }
      return {
        take: Effect.fnUntraced(function* (budget: Budget, accountId: string) {
          // A host that answers without a scope for each request bounds its requests itself.
          const scope = yield* Effect.serviceOption(Scope.Scope)
          if (Option.isNone(scope)) return
          const name = `${budget} ${accountId}`
          if ((taken.get(name) ?? 0) >= all[budget]) return yield* usedUp(budget, all[budget])
          change(name, 1)
          yield* Scope.addFinalizer(
            scope.value,
            Effect.sync(() => change(name, -1))
          )
        })
      }
    })
}
