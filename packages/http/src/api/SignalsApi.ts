/**
 * The HTTP operation for signals: alerts of charting services, which command bots.
 *
 * A signal starts, pauses or stops a bot, or closes its positions. It decides no price and
 * no quantity.
 *
 * @since 0.1.0
 */
import { botOperations, Limits, SignalRequest } from "@candlewick/core/domain"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { SignalRecord } from "./records.ts"

/** Signals of charting services. @category groups @since 0.1.0 */
export class SignalsApi extends HttpApiGroup.make("signals")
  .add(
    HttpApiEndpoint.post("send", "/", {
      payload: SignalRequest,
      success: SignalRecord
    }).annotateMerge(
      describeOperation("Has an alert of a charting service command a bot", botOperations.signal, {
        isKeyedByContent: true,
        description:
          "Services that can send no header use `POST /signals/{key}` with a key that has the scope " +
          "`signals:send` alone; the body may be `text/plain` there. No other key is taken. A signal " +
          "that comes again does nothing more: with the same `id` for " +
          `${Limits.idempotencyHours} hours, without one within the same minute of the store's clock.`
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/signals") {}
