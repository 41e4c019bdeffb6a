/**
 * The events of an account, as they happen.
 *
 * @since 0.1.0
 */
import { eventNames, Limits } from "@candlewick/core/domain"
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, operation, Validation } from "./Authorization.ts"

/** The media type of what is followed. @category tables @since 0.1.0 */
export const eventStreamMediaType = "text/event-stream"

/** The events of runs, besides the ones that webhooks get. @category tables @since 0.1.0 */
export const runEventNames = ["run.progress", "run.ended"] as const

/** Everything that a stream may be asked for. @category tables @since 0.1.0 */
export const streamedEventNames = [...eventNames, ...runEventNames] as const

/** The name of something that is streamed. @category models @since 0.1.0 */
export type StreamedEventName = (typeof streamedEventNames)[number]

/** Names of what is asked for, with commas between. @category schemas @since 0.1.0 */
export const StreamedEventNames = Schema.String.annotate({
  description: `Of ${streamedEventNames.join(", ")}, those that are asked for, with commas between.`
}).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.Literals(streamedEventNames)),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<StreamedEventName> =>
        text.split(",").map((name) => name.trim() as StreamedEventName),
      encode: (names) => names.join(",")
    })
  )
)

/** The events of an account, as they happen. @category groups @since 0.1.0 */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("follow", "/events", {
      query: { types: Schema.optionalKey(StreamedEventNames) },
      success: HttpApiSchema.StreamUint8Array({ contentType: eventStreamMediaType })
    }).annotateMerge(
      operation(
        "Streams the account's events and how far its runs are",
        { scopes: ["bots:read", "strategies:read"] },
        {
          isFollowed: true,
          types: [eventStreamMediaType],
          description:
            "Server-sent events. Those that webhooks get have the same ids and envelopes as there, " +
            "`id` and `type` included, and are numbered: it begins after `Last-Event-ID`, or with " +
            `what comes. The newest ${Limits.eventsPerAccountMaxCount} of an account are kept for ` +
            "that; where older ones were asked for, `events.missed` says which numbers are gone. " +
            "`run.progress` and `run.ended` tell of generations, optimizations and backtests, at " +
            "first of all that are under way; they have no number and are not told again. It ends " +
            `after ${Limits.followMaxSeconds} s at most, or where nothing was taken for ` +
            `${Limits.followStallMaxSeconds} s, for the reader to come again.`
        }
      )
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1") {}
