/**
 * Records of strategies' versions for tests.
 *
 * @since 0.1.0
 */
import type { StrategyVersion } from "../domain/StrategyVersion.ts"
import { recordTime, strategyRecord } from "./records.ts"

/** The first version of a strategy. @category testing @since 0.1.0 */
export const strategyVersionRecord = (fields: Partial<StrategyVersion> = {}): StrategyVersion => {
  const { account_id, definition, id, name, objective, ...strategy } = strategyRecord()
  return {
    strategy_id: id,
    account_id,
    version: 1,
    definition_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    lineage: { origin: "written", from_version: null, optimization_id: null, trial_index: null },
    created_at: recordTime,
    name,
    objective,
    risk_tolerance: strategy.risk_tolerance,
    risk_profile: strategy.risk_profile,
    symbols: strategy.symbols,
    timeframe: strategy.timeframe,
    definition: definition!,
    description: strategy.description,
    parameters: strategy.parameters,
    verdict: null,
    evidence: null,
    provenance: null,
    warnings: [],
    synthetic: false,
    ...fields
  }
}
