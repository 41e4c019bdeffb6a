/**
 * The time for which bots had no process, because the one that ran them was lost.
 *
 * A process that ends hands its bots over within a second, which is nothing to report. A process
 * that is killed or stands still does not: its bots do nothing until another takes them up.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import type { Hindrance } from "../../domain/Hindrance.ts"
import type { BotPlacement } from "../../ports/BotPlacement.ts"

/** The hindrance of the bots of a share that came from a lost process; null for other shares. */
export type LossOfShare = (share: string) => Hindrance | null

/** The losses of one look at all bots, in which each share is asked for once. */
export const lossesAt = (
  nowMs: number,
  { takeLoss }: Pick<BotPlacement["Service"], "takeLoss">
): LossOfShare => {
  const asked = new Map<string, Hindrance | null>()
  const ask = (share: string): Hindrance | null => {
    const silentMs = takeLoss(share)
    if (silentMs === null) return null
    const message = "the process that ran it was lost, and another had to take it up"
    return { kind: "ownership", since: toTimestamp(nowMs - Math.round(silentMs)), message }
  }
  return (share) => {
    const known = asked.get(share)
    if (known !== undefined) return known
    const loss = ask(share)
    asked.set(share, loss)
    return loss
  }
}
