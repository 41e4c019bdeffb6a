/**
 * The state of an exchange account as the hindrances of its bots.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import type { Hindrance, HindranceKind } from "../../../domain/Hindrance.ts"
import { toTimestamp } from "@candlewick/engine"
import type { BotPorts } from "../../bots/botPorts.ts"
import type { HindranceOfAccount } from "../agent/AgentNews.ts"
import { accountOf } from "./liveVenue.ts"

/** A mismatch is found by the bot itself, and concerns only bots that own what is missing. */
const kinds: Readonly<Record<HindranceOfAccount["kind"], HindranceKind | null>> = {
  starting: "venue",
  maintenance: "maintenance",
  unavailable: "venue",
  unauthorized: "venue",
  paused: "venue",
  ousted: "ownership",
  store: "slow_store",
  unknown_order: "unknown_order",
  asks_operator: "unknown_order",
  mismatch: null
}

/** What the exchange account of a live bot keeps it from; none on paper. */
export const venueHindrances = (
  { accountAgents }: Pick<BotPorts, "accountAgents">,
  bot: Bot
): Effect.Effect<ReadonlyArray<Hindrance>> => {
  const account = accountOf(bot)
  const agent = account === null ? null : (accountAgents.current?.known(account) ?? null)
  if (agent === null) return Effect.succeed([])
  return Effect.map(agent.standing, ({ hindrances }) => {
    const found = new Map<HindranceKind, Hindrance>()
    for (const { kind, sinceMs, why } of hindrances) {
      const known = kinds[kind]
      if (known === null || found.has(known)) continue
      found.set(known, { kind: known, since: toTimestamp(sinceMs), message: why })
    }
    return [...found.values()]
  })
}
