/**
 * Versions of strategies: kept at each change, read, and named by bots and results.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { passesFilter, type VersionPageRequest } from "../../domain/listFilters.ts"
import type { Page, PageRequest } from "../../domain/Page.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Strategy } from "../../domain/Strategy.ts"
import type { StrategyLineage, StrategyVersion } from "../../domain/StrategyVersion.ts"
import type { StrategyDefinition } from "@candlewick/engine"
import type { StrategyStore } from "../../ports/StrategyStore.ts"
import type { StrategyVersionStore } from "../../ports/StrategyVersionStore.ts"
import { narrowedPage } from "../narrowedPage.ts"
import { sha256Hex } from "../sha256.ts"

/** Where versions are kept. */
export interface VersionServices {
  readonly versions: StrategyVersionStore["Service"]
}

/** Names sort, so that the order in which they were written makes no other hash. */
const sorted = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** The hash of rules. Equal rules of two accounts have one hash. */
export const hashOfDefinition = (definition: StrategyDefinition): Effect.Effect<string> =>
  Effect.suspend(() => sha256Hex(JSON.stringify(definition, sorted)))

/** Which version of its strategy something goes by. */
export interface VersionPin {
  readonly strategy_version: number
  readonly definition_hash: string
}

/** The origin of a version of which no more is known than the strategy says. */
const lineageOf = ({ origin }: Strategy): StrategyLineage => ({
  origin,
  from_version: null,
  optimization_id: null,
  trial_index: null
})

const toVersion = (
  strategy: Strategy,
  definition: StrategyDefinition,
  definition_hash: string,
  lineage: StrategyLineage
): StrategyVersion => ({
  strategy_id: strategy.id,
  account_id: strategy.account_id,
  version: strategy.version,
  definition_hash,
  lineage,
  created_at: strategy.updated_at,
  name: strategy.name,
  objective: strategy.objective,
  risk_tolerance: strategy.risk_tolerance,
  risk_profile: strategy.risk_profile,
  symbols: strategy.symbols,
  timeframe: strategy.timeframe,
  definition,
  description: strategy.description,
  parameters: strategy.parameters,
  verdict: strategy.verdict,
  evidence: strategy.evidence,
  provenance: strategy.provenance,
  warnings: strategy.warnings,
  synthetic: strategy.synthetic
})

/**
 * Keeps the version that a strategy is at, and names it; null where it has no rules. A reader or
 * writer of a strategy calls this first: one of an earlier release has no version yet.
 */
export const keepVersion = Effect.fnUntraced(function* (
  { versions }: VersionServices,
  strategy: Strategy,
  lineage: StrategyLineage = lineageOf(strategy)
): Effect.fn.Return<VersionPin | null, StoreError> {
  const { definition, status, version } = strategy
  if (definition === null || status !== "ready") return null
  const hash = yield* hashOfDefinition(definition)
  yield* versions.keep(toVersion(strategy, definition, hash, lineage))
  return { strategy_version: version, definition_hash: hash }
})

/** One version of a strategy; fails with `not_found`. */
export const findVersion = Effect.fnUntraced(function* (
  { strategies, versions }: VersionServices & { readonly strategies: StrategyStore["Service"] },
  accountId: string,
  id: string,
  number: number
): Effect.fn.Return<StrategyVersion, Problem | StoreError> {
  const strategy = Option.getOrNull(yield* strategies.get(accountId, id))
  if (strategy?.version === number) yield* keepVersion({ versions }, strategy)
  const found = Option.getOrNull(yield* versions.get(accountId, id, number))
  if (found !== null) return found
  return yield* problem("not_found", `The strategy ${id} has no version ${number}.`)
})

/** The versions of a strategy, newest first; fails with `not_found` where it never was. */
export const listVersions = Effect.fnUntraced(function* (
  { strategies, versions }: VersionServices & { readonly strategies: StrategyStore["Service"] },
  accountId: string,
  id: string,
  page: VersionPageRequest
): Effect.fn.Return<Page<StrategyVersion>, Problem | StoreError> {
  const strategy = Option.getOrNull(yield* strategies.get(accountId, id))
  if (strategy !== null) yield* keepVersion({ versions }, strategy)
  const list = (part: PageRequest) => versions.list(accountId, id, part)
  if (strategy === null && (yield* list({ limit: 1 })).items.length === 0) {
    return yield* problem("not_found", `The strategy ${id} does not exist.`)
  }
  const isAsked = passesFilter(page)
  return yield* narrowedPage(
    list,
    page,
    ({ version }) => String(version),
    ({ created_at, lineage: { origin } }) => isAsked({ created_at, origin })
  )
})
