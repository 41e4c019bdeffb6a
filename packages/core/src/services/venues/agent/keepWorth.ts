/**
 * Notes the worth of an exchange account's bots although nothing is sent or traded.
 *
 * A bound on losses is measured from the peak, and from the beginning of the day.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import { noteEquities, notePrices } from "./accountBounds.ts"
import { type AgentState, asOwner, bookOf, type Ousted, withBook } from "./agentState.ts"

/** Notes the worth of the account where prices have moved, and a bound asks for it. */
export const keepWorth = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<void, StoreError | Ousted> {
  const { limits, ports, prices } = agent
  const isBound = (limits.dailyLossMax ?? limits.drawdownMax) !== undefined
  if (!isBound || !agent.hasNewPrices) return
  agent.hasNewPrices = false
  const keeping = asOwner(
    agent,
    Effect.fnUntraced(function* (account): Effect.fn.Return<void, StoreError> {
      const { bounds, shares } = bookOf(account)
      const nowMs = yield* ports.venueAccounts.nowMs
      const noted = noteEquities(notePrices(bounds, prices), shares, nowMs)
      yield* ports.venueAccounts.put(withBook(account, { shares, bounds: noted }))
    })
  )
  const owe = Effect.sync(() => void (agent.hasNewPrices = true))
  yield* Effect.onError(keeping, () => owe)
})
