/**
 * The trials of a search, as callers read them: a page of rows in an order, or all of them.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { TrialDetails, TrialOrder, TrialsRequest } from "../../../domain/Optimization.ts"
import type { Page } from "../../../domain/Page.ts"
import { invalid, type Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { TrialStore } from "../../../ports/TrialStore.ts"
import { bestFirst, orderRows, type TrialRows, rowsOf } from "./trialTable.ts"
import type { Objective } from "@candlewick/engine"

/** The rows that are kept of a search in the order asked for; none where it is not over. */
export const orderedTrials = Effect.fnUntraced(function* (
  { trials }: { readonly trials: TrialStore["Service"] },
  id: string,
  objective: Objective,
  { is_eligible: isEligible, order, sort }: TrialOrder
): Effect.fn.Return<
  { readonly rows: TrialRows; readonly indices: ReadonlyArray<number> },
  Problem | StoreError
> {
  const rows = rowsOf(Option.getOrElse(yield* trials.get(id), () => []))
  const column = sort ?? "objective"
  if (rows.count > 0 && rows.column(column) === undefined) {
    const message = `The trials have no ${column}; they have ${rows.names.join(", ")}.`
    return yield* invalid([{ pointer: "#/query/sort", code: "not_allowed", message }])
  }
  const isScore = column === "objective"
  const way = order ?? (isScore ? bestFirst(objective) : "asc")
  const eligible = rows.column("is_eligible")
  const isAsked = (row: number) =>
    isEligible === undefined || (eligible?.[row] === 1) === isEligible
  return { rows, indices: orderRows(rows, column, way).filter(isAsked) }
})

/** A page of them; the key of the next one is the place in the order. */
export const pageOfTrials = (
  { indices, rows }: { readonly rows: TrialRows; readonly indices: ReadonlyArray<number> },
  { before, limit }: Pick<TrialsRequest, "before" | "limit">
): Page<TrialDetails> => {
  const from = before === undefined ? 0 : Math.max(0, Math.floor(Number(before)) || 0)
  const items = indices.slice(from, from + limit).map((row) => rows.at(row))
  const next = from + limit
  return { items, next: next < indices.length ? String(next) : null }
}
