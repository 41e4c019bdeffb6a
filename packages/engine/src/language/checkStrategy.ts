/**
 * Everything that a strategy must hold to and a schema can't see.
 *
 * A checked strategy runs. No period is a fraction, no RSI is compared with a price, and no trial
 * of a search leaves the bounds of an indicator.
 *
 * @since 0.1.0
 */
import type { Fault } from "./Fault.ts"
import type { RiskProfile } from "./RiskProfile.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"
import { inside } from "./checkExits.ts"
import { checkRule } from "./checkExpression.ts"
import type { CheckPlace } from "./checkExpression.ts"
import { checkPosition } from "./checkLadder.ts"
import { checkParameters, checkSetting, fault } from "./checkParameters.ts"
import type { Checking } from "./checkParameters.ts"
import { checkTogether } from "./checkTogether.ts"
import { strategyNodeCountMax, tradeBounds } from "./settingBounds.ts"
import { type StrategySide, sidesOf } from "./sidesOf.ts"

const checkDirections = (checking: Checking, place: CheckPlace): void => {
  for (const direction of ["long", "short"] as const) {
    const rules = checking.definition[direction]
    if (rules === undefined) continue
    const side = inside(place, direction)
    checkRule(checking, rules.enter, inside(side, "enter"))
    if (rules.exit !== undefined) checkRule(checking, rules.exit, inside(side, "exit"))
    checkPosition(checking, rules, side)
  }
}

const checkReentry = (checking: Checking): void => {
  for (const name of ["cooldown", "cooldown_after_stop"] as const) {
    const setting = checking.definition.reentry?.[name]
    if (setting === undefined) continue
    checkSetting(checking, setting, `/reentry/${name}`, tradeBounds.cooldown)
  }
}

/** Where a side has no stop loss: of its first entry, or of a lot with exits of its own. */
const withoutStopLoss = ({ parts, pointerOf }: StrategySide): ReadonlyArray<string> => [
  ...(parts.exits?.stop_loss === undefined ? [`${pointerOf("exits")}/stop_loss`] : []),
  ...(parts.additions ?? []).flatMap(({ exits }, index) =>
    exits === undefined || exits.stop_loss !== undefined
      ? []
      : [`${pointerOf("additions")}/${index}/exits/stop_loss`]
  )
]

/**
 * Whether a risk profile asks for a stop loss that a strategy has not, in one of its sides or lots.
 * No parameter can switch a stop loss off: its bounds leave out 0.
 *
 * @category checks
 * @since 0.1.0
 */
export const lacksStopLoss = (
  definition: StrategyDefinition,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null
): boolean =>
  risk !== null &&
  risk.is_stop_loss_mandatory &&
  sidesOf(definition).some((side) => withoutStopLoss(side).length > 0)

const checkTrades = (checking: Checking): void => {
  const { symbols, trades } = checking.definition
  if (trades === undefined) return
  for (const [index, symbol] of trades.entries()) {
    const pointer = `/trades/${index}`
    if (!symbols.includes(symbol)) {
      const message = `${symbol} is not among the symbols of the strategy`
      fault(checking, pointer, "unknown_symbol", message)
    }
    if (trades.indexOf(symbol) === index) continue
    fault(checking, pointer, "duplicate", `${symbol} is there twice`)
  }
}

const checkWhole = (
  checking: Checking,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory">
): void => {
  const { definition } = checking
  for (const [index, symbol] of definition.symbols.entries()) {
    if (definition.symbols.indexOf(symbol) === index) continue
    fault(checking, `/symbols/${index}`, "duplicate", `${symbol} is there twice`)
  }
  checkTrades(checking)
  if (checking.nodeCount > strategyNodeCountMax) {
    const message = `A strategy may have ${strategyNodeCountMax} series and rules`
    fault(checking, "", "too_many_nodes", message)
  }
  if (!risk.is_stop_loss_mandatory) return
  for (const pointer of new Set(sidesOf(definition).flatMap(withoutStopLoss))) {
    fault(checking, pointer, "stop_loss_required", "The risk profile asks for a stop loss")
  }
}

/**
 * Finds every fault of a strategy; an empty list means that it can run.
 *
 * **Details**
 *
 * Each fault points into the definition with a JSON pointer. With a risk profile that makes it
 * mandatory, a missing stop loss is a fault too.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkStrategy = (
  definition: StrategyDefinition,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null = null
): ReadonlyArray<Fault> => {
  const checking: Checking = { definition, faults: [], nodeCount: 0 }
  const place: CheckPlace = { pointer: "", timeframe: definition.timeframe, symbol: null, depth: 1 }
  checkParameters(checking)
  checkDirections(checking, place)
  checkPosition(checking, definition, place)
  checkTogether(checking, place)
  checkReentry(checking)
  checkWhole(checking, risk ?? { is_stop_loss_mandatory: false })
  return checking.faults
}
