/**
 * The state of an exchange account as the hindrances of its bots.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import type { Hindrance, HindranceKind } from "../../../domain/Hindrance.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import { toTimestamp } from "@candlewick/engine"
import type { BotPorts } from "../../bots/botPorts.ts"
import type { HindranceOfAccount } from "../agent/AgentReport.ts"
import { bookOf } from "../agent/agentState.ts"
import { type AccountRef, accountOf } from "./liveVenue.ts"

/** A mismatch is found by the bot itself, and concerns only bots that own the missing amounts. */
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

const kindOf = (kind: string): HindranceKind | null =>
  kind in kinds ? kinds[kind as HindranceOfAccount["kind"]] : null

/** The findings about an exchange account, as its bots get them. */
const toHindrances = (
  hindrances: ReadonlyArray<Omit<HindranceOfAccount, "kind"> & { readonly kind: string }>
): ReadonlyArray<Hindrance> => {
  const found = new Map<HindranceKind, Hindrance>()
  for (const { kind, sinceMs, why } of hindrances) {
    const known = kindOf(kind)
    if (known === null || found.has(known)) continue
    found.set(known, { kind: known, since: toTimestamp(sinceMs), message: why })
  }
  return [...found.values()]
}

const agentOf = ({ accountAgents }: Pick<BotPorts, "accountAgents">, account: AccountRef) =>
  accountAgents.current?.known(account) ?? null

/** The acts from which an exchange account keeps its bots, where this process sends for it. */
export const hindrancesAt = (
  ports: Pick<BotPorts, "accountAgents">,
  account: AccountRef
): Effect.Effect<ReadonlyArray<Hindrance>> => {
  const agent = agentOf(ports, account)
  if (agent === null) return Effect.succeed([])
  return Effect.map(agent.standing, ({ hindrances }) => toHindrances(hindrances))
}

/** The same for a live bot; none on paper. */
export const venueHindrances = (
  ports: Pick<BotPorts, "accountAgents">,
  bot: Bot
): Effect.Effect<ReadonlyArray<Hindrance>> => {
  const account = accountOf(bot)
  return account === null ? Effect.succeed([]) : hindrancesAt(ports, account)
}

/** The same, shown by any process: the agent has kept its findings. */
export const viewVenueHindrances = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "accountAgents" | "venueAccounts">,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Hindrance>, StoreError> {
  const account = accountOf(bot)
  if (account === null || agentOf(ports, account) !== null)
    return yield* venueHindrances(ports, bot)
  const key = venueKeyOf(account.accountId, account.exchange)
  const kept = Option.getOrNull(yield* ports.venueAccounts.get(key))
  return kept === null ? [] : toHindrances(bookOf(kept).hindrances ?? [])
})
