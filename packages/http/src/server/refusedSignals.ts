/**
 * Notes in a bot's log the signals that are refused before they reach the bot.
 *
 * The service that sends an alert does not show its answer.
 *
 * @since 0.1.0
 */
import { BotId, type Bots, type Problem } from "@candlewick/core"
import { Context, Effect, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { IsKeyedByContent } from "../api/Authorization.ts"
import type { RequestFacts } from "./CurrentRequest.ts"

const isBotId = Schema.is(BotId)

const faultsShown = 5

const botOf = (body: unknown): string | undefined => {
  const { bot_id: id } = (body ?? {}) as { readonly bot_id?: unknown }
  return isBotId(id) ? id : undefined
}

const reasonOf = ({ detail, errors = [] }: Problem): string =>
  [detail, ...errors.slice(0, faultsShown).map((one) => `${one.pointer}: ${one.message}.`)].join(
    " "
  )

/**
 * Notes why a signal was refused, where it names a bot of the account. The answer stays as it is,
 * also where nothing could be noted.
 *
 * @category combinators
 * @since 0.1.0
 */
export const noteRefusedSignal = (
  bots: Pick<Bots["Service"], "refuseSignal">,
  endpoint: HttpApiEndpoint.Top,
  { accountId, body }: RequestFacts,
  refusal: Problem
): Effect.Effect<void> => {
  const id = botOf(body)
  return accountId === undefined ||
    id === undefined ||
    !Context.get(endpoint.annotations, IsKeyedByContent)
    ? Effect.void
    : Effect.ignore(bots.refuseSignal(accountId, id, reasonOf(refusal)))
}
