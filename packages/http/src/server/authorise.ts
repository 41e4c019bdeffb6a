/**
 * The sender of a request, and the rights of its key.
 *
 * A request is refused before its body is read. It gets 401 without a key or with a wrong one, and
 * 403 with a key that lacks a scope. An address that keeps sending wrong keys is refused with 429.
 *
 * @since 0.1.0
 */
import {
  type Accounts,
  Problem,
  type ProblemCode,
  type Scope,
  type StoreError
} from "@candlewick/core"
import { Effect } from "effect"
import type { CallerKey } from "../api/Authorization.ts"
import type { RequestFacts } from "./CurrentRequest.ts"
import { checkRate, type RateLimits } from "./RateLimits.ts"

/** Fails with `insufficient_scope` where the key lacks one of the scopes. @category guards @since 0.1.0 */
export const checkScopes = (
  { scopes }: Pick<CallerKey, "scopes">,
  required: ReadonlyArray<Scope>
): Effect.Effect<void, Problem> => {
  const missing = required.filter((scope) => !scopes.includes(scope))
  return missing.length === 0
    ? Effect.void
    : Effect.fail(
        new Problem({
          code: "insufficient_scope",
          detail: `The key lacks ${missing.join(", ")}.`,
          required_scopes: [...required]
        })
      )
}

const refusedKeys: ReadonlyArray<ProblemCode> = ["unauthenticated", "key_expired"]

const keyMissing = new Problem({
  code: "unauthenticated",
  detail: "Send `Authorization: Bearer <API_KEY>`."
})

/**
 * The account and the scopes of a key. An address that sends wrong keys uses up its own quota, so
 * that it can't try many.
 *
 * @category guards
 * @since 0.1.0
 */
export const authenticate = (
  {
    accounts,
    limits
  }: {
    readonly accounts: Pick<Accounts["Service"], "authenticate">
    readonly limits: Pick<RateLimits["Service"], "take">
  },
  token: string,
  facts: RequestFacts
): Effect.Effect<CallerKey, Problem | StoreError> =>
  (token === "" ? Effect.fail(keyMissing) : accounts.authenticate(token)).pipe(
    Effect.tap((caller) =>
      Effect.sync(() => {
        facts.accountId = caller.accountId
        facts.keyId = caller.keyId
      })
    ),
    Effect.tapError((refusal) =>
      refusal._tag === "Problem" && refusedKeys.includes(refusal.code)
        ? Effect.flatMap(limits.take("anonymous", facts.address), (admittance) =>
            checkRate(admittance, facts)
          )
        : Effect.void
    )
  )
