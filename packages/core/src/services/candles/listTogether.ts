/**
 * Lists series for many bots at once.
 *
 * A bot asks for the series of its account before it reads candles. A process that takes thousands
 * of bots up asks thousands of times at once. Callers that ask while a list is read get the list
 * that is read after it, one for each account.
 *
 * @since 0.1.0
 */
import { Effect, Request, RequestResolver, Semaphore } from "effect"
import type { CandleSeries } from "../../domain/Candle.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"

type List = (accountId: string) => Effect.Effect<ReadonlyArray<CandleSeries>, Problem | StoreError>

class Ask extends Request.Class<
  { readonly accountId: string },
  ReadonlyArray<CandleSeries>,
  Problem | StoreError
> {}

/** The same list, read once for all callers that wait for it. */
export const listTogether = (list: List): List => {
  const turn = Semaphore.makeUnsafe(1)
  const resolver = RequestResolver.make<Ask>((entries) =>
    turn.withPermit(
      Effect.forEach(
        Map.groupBy(entries, ({ request }) => request.accountId),
        ([accountId, ofAccount]) =>
          Effect.map(Effect.exit(list(accountId)), (exit) => {
            for (const entry of ofAccount) entry.completeUnsafe(exit)
          }),
        { discard: true }
      )
    )
  ).pipe(
    // A request that comes meanwhile is answered together with the others.
    RequestResolver.setDelayEffect(turn.withPermit(Effect.yieldNow))
  )
  return (accountId) => Effect.request(new Ask({ accountId }), resolver)
}
