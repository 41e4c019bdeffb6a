/**
 * Strategies as callers write, change and remove them.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { type Problem, problem } from "../../domain/Problem.ts"
import {
  checkCode,
  checkStrategy,
  type CodeByName,
  type Fault,
  type RiskProfile,
  type StrategyDefinition
} from "@candlewick/engine"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  riskProfileOf,
  type Strategy,
  type StrategyChanges,
  type StrategyCheck,
  type StrategyRequest
} from "../../domain/Strategy.ts"
import type { StrategyLineage } from "../../domain/StrategyVersion.ts"
import type { Evidence } from "../../domain/Verdict.ts"
import * as StateTable from "../../domain/StateTable.ts"
import { StrategyMachine } from "../../domain/StrategyMachine.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import type { BotStore } from "../../ports/BotStore.ts"
import type { MarketStore } from "../../ports/MarketStore.ts"
import type { StrategyStore } from "../../ports/StrategyStore.ts"
import type { StrategyVersionStore } from "../../ports/StrategyVersionStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import { findMarket } from "../markets/marketRecords.ts"
import { forbiddenShorts, shortTermsOf } from "./forbiddenShorts.ts"
import type { Events } from "../events/Events.ts"
import type { Ids } from "../Ids.ts"
import { allPages } from "../allPages.ts"
import { announce, nowTimestamp } from "../events/announce.ts"
import { lockAccount } from "../accounts/checkQuota.ts"
import { checkVersion, required } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"
import { describeSized, toGeneratedFields, toParameters } from "./strategyRecords.ts"
import { keepVersion } from "./strategyVersions.ts"

/** The services for writing and changing strategies. */
export interface WrittenServices {
  readonly code: CodeByName
  readonly bots: BotStore["Service"]
  readonly events: Events["Service"]
  readonly ids: Ids["Service"]
  readonly markets: MarketStore["Service"]
  readonly strategies: StrategyStore["Service"]
  readonly transactor: Transactor["Service"]
  readonly versions: StrategyVersionStore["Service"]
}

/** The fields of a strategy of which nothing is known yet. */
export const blankStrategy = (now: string) => ({
  definition: null,
  description: null,
  parameters: [],
  verdict: null,
  evidence: null,
  provenance: null,
  warnings: [],
  synthetic: false,
  parent_id: null,
  eta_seconds: null,
  queue_position: null,
  error: null,
  version: 1,
  created_at: now,
  updated_at: now
})

const refuseFaults = (
  definition: StrategyDefinition,
  risk: RiskProfile | null,
  code: CodeByName
): Effect.Effect<void, Problem> => {
  const found = [...checkStrategy(definition, risk), ...checkCode(definition, code)]
  const faults = found.map((one): Fault => ({ ...one, pointer: `/definition${one.pointer}` }))
  if (faults.length === 0) return Effect.void
  const detail = faults.map(({ message }) => message).join(". ")
  return Effect.fail(problem("validation_failed", `${detail}.`, { errors: faults }))
}

/**
 * The parts of a definition that the markets as they are now forbid. They may allow it by the time
 * that it is run, so that it is kept all the same.
 */
const marketWarnings = (
  { markets }: WrittenServices,
  accountId: string,
  definition: StrategyDefinition
): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  Effect.map(
    Effect.forEach(definition.symbols, (symbol) => findMarket({ markets }, accountId, symbol)),
    (found) => {
      const known = found.flatMap(Option.toArray).map((market) => ({ market }))
      return forbiddenShorts(definition, shortTermsOf(known))
    }
  )

/** Keeps a strategy that was written by hand, and announces it. */
export const writeStrategy = Effect.fn("Strategies.write")(function* (
  services: WrittenServices,
  accountId: string,
  { definition, name, risk_tolerance }: StrategyRequest
): Effect.fn.Return<Strategy, Problem | StoreError> {
  const { code, events, ids, strategies, transactor } = services
  const risk = riskProfileOf(risk_tolerance)
  yield* refuseFaults(definition, risk, code)
  const id = yield* ids.make("strategy")
  const now = yield* nowTimestamp
  return yield* transactOnce(
    transactor,
    "write",
    Effect.gen(function* () {
      const kept = yield* strategies.insert({
        ...blankStrategy(now),
        id,
        account_id: accountId,
        name,
        // Rules that are written by hand are complete at once.
        status: StateTable.move(StrategyMachine, StrategyMachine.initial, "complete"),
        origin: "written",
        objective: null,
        risk_tolerance: risk_tolerance ?? null,
        risk_profile: risk,
        symbols: definition.symbols,
        timeframe: definition.timeframe,
        definition,
        description: describeSized(definition, risk),
        parameters: toParameters(definition),
        warnings: yield* marketWarnings(services, accountId, definition),
        progress: 1,
        step: "report"
      })
      yield* keepVersion(services, kept)
      const fields = toGeneratedFields(kept)
      yield* announce({ events, ids }, accountId, "strategy.generated", fields)
      return kept
    })
  )
})

/** The signals of a strategy if it were written; fails with the faults that writing it has. */
export const checkWritten = Effect.fn("Strategies.check")(function* (
  services: WrittenServices,
  accountId: string,
  { definition, risk_tolerance }: StrategyRequest
): Effect.fn.Return<StrategyCheck, Problem | StoreError> {
  const risk = riskProfileOf(risk_tolerance)
  yield* refuseFaults(definition, risk, services.code)
  return {
    description: describeSized(definition, risk),
    parameters: toParameters(definition),
    warnings: yield* marketWarnings(services, accountId, definition)
  }
})

const refuseGenerating = ({ id, status }: Strategy): Effect.Effect<void, Problem> =>
  status === "generating"
    ? Effect.fail(
        problem("invalid_transition", `The strategy ${id} is being generated: cancel that first.`, {
          current_state: status,
          allowed: ["cancel"]
        })
      )
    : Effect.void

const botsOf = ({ bots }: WrittenServices, accountId: string, strategyId: string) =>
  Effect.map(
    allPages((page) => bots.list(accountId, page)),
    (all) => all.filter((bot) => bot.strategy_id === strategyId)
  )

/** Refuses new rules while a bot is at work by the old ones, or follows candles that they don't. */
const refuseUsed = Effect.fnUntraced(function* (
  services: WrittenServices,
  accountId: string,
  id: string,
  timeframe: string
): Effect.fn.Return<void, Problem | StoreError> {
  const users = yield* botsOf(services, accountId, id)
  const user = users.find(({ status }) => !restingStates.includes(status))
  if (user !== undefined) {
    const message = `The bot ${user.id} trades this strategy: stop it before the rules change.`
    return yield* problem("in_use", message)
  }
  const other = users.find((bot) => bot.timeframe !== timeframe)
  if (other !== undefined) {
    const message = `The bot ${other.id} follows candles of ${other.timeframe}: write another strategy for other candles.`
    return yield* problem("in_use", message)
  }
})

/** The fields of a strategy that has new rules. Findings about earlier rules are not among them. */
const rewrittenFields = Effect.fnUntraced(function* (
  services: WrittenServices,
  strategy: Strategy,
  definition: StrategyDefinition
): Effect.fn.Return<Partial<Strategy>, StoreError> {
  return {
    status: StateTable.move(StrategyMachine, strategy.status, "rewrite"),
    error: null,
    definition,
    parameters: toParameters(definition),
    symbols: definition.symbols,
    timeframe: definition.timeframe,
    verdict: null,
    evidence: null,
    provenance: null,
    judged_stretches: [],
    synthetic: false,
    warnings: yield* marketWarnings(services, strategy.account_id, definition)
  }
})

/** The source of a change, if it is not a caller's hand, and the findings about it. */
export interface MadeBy {
  readonly lineage?: StrategyLineage
  readonly evidence?: Evidence
}

/**
 * Changes a strategy. Refuses that while it is being generated, or while a bot at work trades by
 * the changed rules. The change is a version; `madeBy` says where it comes from, if not from a
 * caller's hand.
 */
export const updateStrategy = Effect.fn("Strategies.update")(function* (
  services: WrittenServices,
  accountId: string,
  id: string,
  changes: StrategyChanges,
  version: number | undefined,
  madeBy: MadeBy = {}
): Effect.fn.Return<Strategy, Problem | StoreError> {
  const { strategies, transactor } = services
  return yield* transactor.transact(
    Effect.gen(function* () {
      const isRewritten = changes.definition !== undefined
      // So that no bot is made with it or started meanwhile.
      if (isRewritten) yield* lockAccount(transactor, accountId)
      const strategy = yield* required(strategies.get(accountId, id), "strategy", id)
      yield* checkVersion(strategy, version)
      yield* refuseGenerating(strategy)
      const risk_tolerance = changes.risk_tolerance ?? strategy.risk_tolerance
      // A generation's profile may go beyond its tolerance, where the markets lend.
      const isKept = risk_tolerance === strategy.risk_tolerance
      const risk_profile = isKept ? strategy.risk_profile : riskProfileOf(risk_tolerance)
      const definition = changes.definition ?? strategy.definition
      if (definition !== null) yield* refuseFaults(definition, risk_profile, services.code)
      if (isRewritten) yield* refuseUsed(services, accountId, id, changes.definition.timeframe)
      yield* keepVersion(services, strategy)
      const kept = yield* strategies.update({
        ...strategy,
        name: changes.name ?? strategy.name,
        risk_tolerance,
        risk_profile,
        ...(definition !== null && { description: describeSized(definition, risk_profile) }),
        ...(changes.definition !== undefined &&
          (yield* rewrittenFields(services, strategy, changes.definition))),
        ...(madeBy.evidence !== undefined && { evidence: madeBy.evidence }),
        updated_at: yield* nowTimestamp
      })
      yield* keepVersion(services, kept, {
        origin: "changed",
        from_version: strategy.definition === null ? null : strategy.version,
        optimization_id: null,
        trial_index: null,
        ...madeBy.lineage
      })
      return kept
    })
  )
})

/** Removes a strategy that no bot uses. */
export const removeStrategy = (
  services: WrittenServices,
  accountId: string,
  id: string
): Effect.Effect<void, Problem | StoreError> =>
  services.transactor.transact(
    Effect.gen(function* () {
      yield* lockAccount(services.transactor, accountId)
      const strategy = yield* required(services.strategies.get(accountId, id), "strategy", id)
      yield* refuseGenerating(strategy)
      const [user] = yield* botsOf(services, accountId, id)
      if (user !== undefined) {
        return yield* problem("in_use", `The bot ${user.id} uses the strategy ${id}.`)
      }
      yield* services.strategies.remove(accountId, id)
    })
  )
